import { messageOf } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { Stored } from "../../core/contract/store.ts";
import type { Delivery } from "../contract/channel-adapter.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import type { BotToken } from "./bot-token.ts";
import type { Calls } from "./calls.ts";
import { saidReachState, saysTokenRefused } from "./explain-failure.ts";
import type { Unreachable } from "./reach-state.ts";
import { mayAskAgain, reachFailure, unreachableFrom } from "./reach-state.ts";
import type { Reference, References } from "./references.ts";
import { isBelow } from "./service-address.ts";

export interface RoomCallParts {
  readonly channel: string;
  readonly serviceUrls: readonly string[];
  readonly clock: Pick<Clock, "now">;
  readonly calls: Calls;
  readonly references: References;
  readonly token: Pick<BotToken, "forget">;
}

type RoomCall<T> = (reference: Reference, signal: AbortSignal) => Promise<T>;

/** Calls of Teams about a room: where it may be called, and what it said about the room before. */
export class RoomCalls {
  readonly #parts: RoomCallParts;

  constructor(parts: RoomCallParts) {
    this.#parts = parts;
  }

  /** Fails with DeliveryFailed only. */
  call<T>({ target, byHand = false }: Pick<Delivery, "target" | "byHand">, call: RoomCall<T>): Promise<T> {
    return this.#parts.calls.make(async (signal) => {
      const known = await this.#reachable(target, byHand);
      const { serviceUrl, unreachable } = known.value;
      try {
        const answer = await this.guarded(serviceUrl, () => call(known.value, signal));
        if (unreachable !== undefined) await this.#remember(target, known, undefined);
        return answer;
      } catch (error) {
        const state = saidReachState(error);
        const now = this.#parts.clock.now();
        if (state !== undefined) await this.#remember(target, known, unreachableFrom(state, unreachable, now));
        throw error;
      }
    });
  }

  /** The bot's token goes to addresses only that are allowed today; one that is refused is not used again. */
  async guarded<T>(serviceUrl: string, call: () => Promise<T>): Promise<T> {
    const { serviceUrls, token } = this.#parts;
    if (!isBelow(serviceUrl, serviceUrls)) {
      throw new DeliveryFailed("forbidden", "its service address is not among the channel's serviceUrls any more");
    }
    try {
      return await call();
    } catch (error) {
      if (saysTokenRefused(error)) token.forget();
      throw error;
    }
  }

  /** Teams is not asked again and again about a room that it takes nothing for, unless a person wants it. */
  async #reachable({ channel, room }: Conversation, byHand: boolean): Promise<Stored<Reference>> {
    const { references, clock, channel: own } = this.#parts;
    if (channel !== own) throw new DeliveryFailed("rejected", `"${own}" cannot deliver to "${channel}"`);
    const known = await references.room(room).catch((cause: unknown) => {
      throw new DeliveryFailed("unavailable", `the store cannot be read: ${messageOf(cause)}`, { cause });
    });
    if (known === undefined)
      throw new DeliveryFailed("target-gone", "unknown: add the app there, then it can be reached");
    const { unreachable } = known.value;
    if (unreachable !== undefined && !byHand && !mayAskAgain(unreachable, clock.now())) {
      throw reachFailure(unreachable.state);
    }
    return known;
  }

  /** What cannot be stored is found out again: it must not hide what became of the call. */
  async #remember({ room }: Conversation, known: Stored<Reference>, unreachable: Unreachable | undefined) {
    await this.#parts.references.mark(room, known, unreachable).catch(() => undefined);
  }
}
