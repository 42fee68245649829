import { messageOf } from "../../../core/contract/app-error.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Stored } from "../../../core/contract/ports/store.ts";
import type { Delivery } from "../../contract/channel-adapter.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import type { BotToken } from "./bot-token.ts";
import { explainFailure, isTokenRefused, reachStateIn } from "./failure.ts";
import type { Unreachable } from "./reach-state.ts";
import { isRetryDue, reachFailure, unreachableFrom } from "./reach-state.ts";
import type { Reference, References } from "./references.ts";

const TIMEOUT_MS = 20_000;
export const STOP_TIMEOUT_MS = 4_000;

/** Tracks calls to Teams: each has a timeout, and a stop ends all of them. */
export class Calls {
  readonly #clock: Pick<Clock, "after">;
  readonly #inFlight = new Map<Promise<unknown>, AbortController>();
  #open = false;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  open(): void {
    this.#open = true;
  }

  /** Fails with DeliveryFailed only. */
  async make<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (!this.#open) throw new DeliveryFailed("unavailable", "the channel is stopped; another gateway delivers");
    const abort = new AbortController();
    const timer = this.#clock.after(TIMEOUT_MS, () => abort.abort());
    const made = call(abort.signal);
    this.#inFlight.set(made, abort);
    try {
      return await made;
    } catch (error) {
      throw explainFailure(error);
    } finally {
      timer.cancel();
      this.#inFlight.delete(made);
    }
  }

  /** Refuses new calls and waits for those in progress, in bounded time. */
  async close(): Promise<void> {
    this.#open = false;
    const ended = Promise.allSettled(this.#inFlight.keys());
    const timer = this.#clock.after(STOP_TIMEOUT_MS, () => {
      for (const abort of this.#inFlight.values()) abort.abort();
    });
    await ended;
    timer.cancel();
  }
}

export interface RoomCallDeps {
  readonly channel: string;
  readonly serviceUrls: readonly string[];
  readonly clock: Pick<Clock, "now">;
  readonly calls: Calls;
  readonly references: References;
  readonly token: Pick<BotToken, "forget">;
}

type RoomCall<T> = (reference: Reference, signal: AbortSignal) => Promise<T>;

/** Calls to Teams about a room: checks its service address and its stored reach state. */
export class RoomCalls {
  readonly #deps: RoomCallDeps;

  constructor(deps: RoomCallDeps) {
    this.#deps = deps;
  }

  /** Fails with DeliveryFailed only. */
  call<T>({ target, byHand = false }: Pick<Delivery, "target" | "byHand">, call: RoomCall<T>): Promise<T> {
    return this.#deps.calls.make(async (signal) => {
      const known = await this.#reachable(target, byHand);
      const { serviceUrl, unreachable } = known.value;
      try {
        const answer = await this.guarded(serviceUrl, () => call(known.value, signal));
        if (unreachable !== undefined) await this.#remember(target, known, undefined);
        return answer;
      } catch (error) {
        const state = reachStateIn(error);
        const now = this.#deps.clock.now();
        if (state !== undefined) await this.#remember(target, known, unreachableFrom(state, unreachable, now));
        throw error;
      }
    });
  }

  /** Sends the bot's token only to addresses that the configuration allows now, and drops a token that Teams rejects. */
  async guarded<T>(serviceUrl: string, call: () => Promise<T>): Promise<T> {
    const { serviceUrls, token } = this.#deps;
    if (!isBelow(serviceUrl, serviceUrls)) {
      throw new DeliveryFailed(
        "forbidden",
        "the service address of this conversation is no longer in the channel's serviceUrls: add it there",
      );
    }
    try {
      return await call();
    } catch (error) {
      if (isTokenRefused(error)) token.forget();
      throw error;
    }
  }

  /** Does not call Teams about an unreachable room before its next attempt is due, unless a person requested it. */
  async #reachable({ channel, room }: Conversation, byHand: boolean): Promise<Stored<Reference>> {
    const { references, clock, channel: own } = this.#deps;
    if (channel !== own) throw new DeliveryFailed("rejected", `"${own}" cannot deliver to "${channel}"`);
    const known = await references.room(room).catch((cause: unknown) => {
      throw new DeliveryFailed("unavailable", `the store cannot be read: ${messageOf(cause)}`, { cause });
    });
    if (known === undefined)
      throw new DeliveryFailed("target-gone", "Teams has no address for this conversation: add the app to it");
    const { unreachable } = known.value;
    if (unreachable !== undefined && !byHand && !isRetryDue(unreachable, clock.now())) {
      throw reachFailure(unreachable.state);
    }
    return known;
  }

  /** Best effort: a failed write must not hide the outcome of the call, and the next call finds out again. */
  async #remember({ room }: Conversation, known: Stored<Reference>, unreachable: Unreachable | undefined) {
    await this.#deps.references.mark(room, known, unreachable).catch(() => undefined);
  }
}

/**
 * True if an address is an allowed one or below it. Requests there carry the bot's token, so this compares parsed URLs:
 * "https://allowed.example.evil" and "https://allowed.example@evil" are different hosts.
 */
export const isBelow = (address: string, allowed: readonly string[]): boolean => {
  if (!URL.canParse(address)) return false;
  const { origin, pathname, username, password } = new URL(address);
  if (username !== "" || password !== "") return false;
  return allowed.some((base) => {
    const { origin: baseOrigin, pathname: basePath } = new URL(base);
    const folder = basePath.endsWith("/") ? basePath : `${basePath}/`;
    return origin === baseOrigin && `${pathname}/`.startsWith(folder);
  });
};
