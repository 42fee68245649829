/** An update with its number; the rest is as Telegram sends it. */
export interface FakeUpdate {
  readonly update_id: number;
  readonly [kind: string]: unknown;
}

export interface SetWebhook {
  readonly url: string;
  readonly secret: string | undefined;
}

interface Poll {
  readonly offset: number;
  answer(updates: readonly FakeUpdate[]): void;
}

/** Updates that wait for the bot, with the two ways to get them: one at a time. */
export class FakeUpdates {
  webhook: SetWebhook = { url: "", secret: undefined };
  readonly #waiting: FakeUpdate[] = [];
  readonly #confirmed = new Map<number, () => void>();
  #poll: Poll | undefined;
  #last = 500;
  #isPolled = false;

  /** Whether a poll is open, or was since the last call that ended one. */
  get isPolled(): boolean {
    return this.#poll !== undefined || this.#isPolled;
  }

  number(update: object): FakeUpdate {
    this.#last += 1;
    return { update_id: this.#last, ...update };
  }

  /** Resolves once a later offset has confirmed all of them. */
  async queue(updates: readonly FakeUpdate[]): Promise<void> {
    const confirmed = updates.map(
      ({ update_id }) => new Promise<void>((resolve) => this.#confirmed.set(update_id, resolve)),
    );
    this.#waiting.push(...updates);
    this.#answerPoll();
    await Promise.all(confirmed);
  }

  /** The offset confirms all updates before it. A second poll ends the first one with a conflict. */
  getUpdates(offset: number, timeoutS: number, conflict: () => void): Promise<readonly FakeUpdate[] | "conflict"> {
    this.#isPolled = true;
    while (this.#waiting[0] !== undefined && this.#waiting[0].update_id < offset) {
      const [done] = this.#waiting.splice(0, 1);
      this.#confirmed.get(done?.update_id ?? 0)?.();
    }
    this.endPoll();
    if (this.#waiting.length > 0 || timeoutS === 0) return Promise.resolve(this.#waiting.slice(0, 100));
    return new Promise((resolve) => {
      const end = (outcome: readonly FakeUpdate[] | "conflict") => {
        if (this.#poll === poll) this.#poll = undefined;
        clearTimeout(timer);
        resolve(outcome);
      };
      const timer = setTimeout(() => end([]), timeoutS * 1_000);
      const poll: Poll & { conflict(): void } = {
        offset,
        answer: end,
        conflict() {
          conflict();
          end("conflict");
        },
      };
      this.#poll = poll;
    });
  }

  /** Ends the open poll with a conflict. */
  endPoll(): void {
    const poll = this.#poll as (Poll & { conflict(): void }) | undefined;
    this.#poll = undefined;
    poll?.conflict();
  }

  /** The bot has disconnected. */
  dropPoll(): void {
    this.#poll?.answer([]);
    this.#isPolled = false;
  }

  get count(): number {
    return this.#waiting.length;
  }

  /** Sends updates to the webhook in order; resolves to the statuses, 0 for a cut connection. */
  async post(updates: readonly FakeUpdate[], secret = this.webhook.secret): Promise<number[]> {
    return Promise.all(updates.map((update) => this.#postOne(JSON.stringify(update), secret)));
  }

  async #postOne(body: string, secret: string | undefined): Promise<number> {
    if (this.webhook.url === "") return 0;
    const headers = {
      "content-type": "application/json",
      ...(secret !== undefined && { "x-telegram-bot-api-secret-token": secret }),
    };
    const response = await fetch(this.webhook.url, { method: "POST", headers, body }).catch(() => undefined);
    return response?.status ?? 0;
  }

  #answerPoll(): void {
    this.#poll?.answer(this.#waiting.slice(0, 100));
  }
}
