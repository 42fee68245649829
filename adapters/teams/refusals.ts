import type { AppError } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { UserMessage } from "../../core/contract/user-message.ts";

const SILENT_FOR_MS = 10 * 60_000;
const MOST_REMEMBERED = 1_000;

/** Remembers whom it was said to that they are not heard, so that it is said once and not with every message. */
export class Refusals {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #saidAt = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  isNew({ account, conversation }: UserMessage, { code }: AppError): boolean {
    const now = this.#clock.monotonic();
    const key = JSON.stringify([account.id, conversation.room, code]);
    const saidAt = this.#saidAt.get(key);
    if (saidAt !== undefined && now - saidAt < SILENT_FOR_MS) return false;
    this.#saidAt.delete(key);
    this.#saidAt.set(key, now);
    const [oldest] = this.#saidAt.keys();
    if (this.#saidAt.size > MOST_REMEMBERED && oldest !== undefined) this.#saidAt.delete(oldest);
    return true;
  }
}
