import { z } from "zod";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { pause } from "../../contract/pause.ts";
import type { BotApi } from "../api/bot-api.ts";
import type { TelegramTiming } from "../api/timing.ts";
import { ALLOWED_UPDATES, Update } from "../payload.ts";
import { albumOf, grouped } from "./albums.ts";

export interface PollingDeps {
  readonly api: BotApi;
  readonly context: Pick<AdapterContext, "clock" | "logger">;
  readonly timing: TelegramTiming;
  /** Rejects if the updates could not be stored. */
  take(updates: readonly Update[]): Promise<void>;
}

const Updates = z.array(z.unknown());
const Numbered = z.looseObject({ update_id: z.number().int() });

/** A poll may take this much longer than Telegram was asked to wait. */
const POLL_MARGIN_MS = 10_000;

/**
 * Long polling. The offset of a poll confirms every update before it, so it moves only past updates that are stored,
 * ignored or refused for good. https://core.telegram.org/bots/api#getupdates
 */
export class Polling {
  readonly #deps: PollingDeps;
  readonly #stopping = new AbortController();
  #offset: number | undefined;
  #failures = 0;
  #problem: string | undefined;
  #loop: Promise<void> | undefined;

  constructor(deps: PollingDeps) {
    this.#deps = deps;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Updates that are not stored stay at Telegram. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    if (this.#offset === undefined) return;
    // Confirms stored updates. If it fails, Telegram repeats them, and core drops the duplicates.
    await this.#poll(0, new AbortController().signal).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { context, timing } = this.#deps;
    const { clock, logger } = context;
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#next();
        this.#failures = 0;
        this.#problem = undefined;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        const backoffMs = Math.min(timing.maxPauseMs, timing.firstPauseMs * 2 ** Math.min(this.#failures++, 20));
        const retryInMs = Math.max(backoffMs, error instanceof DeliveryFailed ? (error.retryAfterMs ?? 0) : 0);
        this.#problem = messageOf(error);
        logger.warn({ error: messageOf(error), retryInMs }, "could not take messages from Telegram, retrying");
        await pause(clock, retryInMs, this.#stopping.signal);
      }
    }
  }

  async #next(): Promise<void> {
    const { timing, take, context } = this.#deps;
    const { signal } = this.#stopping;
    let updates = await this.#poll(timing.pollS, signal);
    const last = updates.at(-1);
    if (last !== undefined && albumOf(last) !== undefined) {
      // The rest of the album may still be on its way; the same offset returns everything again.
      await pause(context.clock, timing.albumMs, signal);
      updates = await this.#poll(0, signal);
    }
    for (const group of grouped(updates)) {
      if (signal.aborted) return;
      await take(group);
      this.#offset = Math.max(...group.map(({ update_id }) => update_id)) + 1;
    }
  }

  async #poll(timeout: number, signal: AbortSignal): Promise<Update[]> {
    const { api, timing } = this.#deps;
    const body = { offset: this.#offset, timeout, allowed_updates: ALLOWED_UPDATES };
    const timeoutMs = timeout === 0 ? timing.callMs : timeout * 1_000 + POLL_MARGIN_MS;
    const answer = await api.call(Updates, "getUpdates", body, { timeoutMs, signal });
    // An unreadable update counts as an empty one, so that it does not block those behind it.
    return answer.flatMap((each) => Update.safeParse(each).data ?? Numbered.safeParse(each).data ?? []);
  }
}
