import type { Clock } from "../../contract/ports/clock.ts";
import { isNoResponder } from "./connection/nats-fault.ts";
import type { NatsSession } from "./connection/nats-session.ts";

/** Whether the subject had a subscriber at the last check; "unknown" if that check has expired. */
export type Presence = "some" | "none" | "unknown";

/** TTL of a check's result. */
export const PRESENCE_TTL_MS = 250;

/**
 * Knows whether a subject has subscribers, so that signals without one are not sent. The server answers a request to a
 * subject without subscribers with "no responders".
 */
export class SubscriberPresence {
  readonly #clock: Clock;
  readonly #last = new Map<string, { readonly at: number; presence: Presence }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(subject: string): Presence {
    const last = this.#last.get(subject);
    return last === undefined || this.#clock.monotonic() - last.at >= PRESENCE_TTL_MS ? "unknown" : last.presence;
  }

  /** Sends the data as a request. Subscribers do not answer it, so no answer means that there is one. */
  check({ requests }: NatsSession, subject: string, data: Uint8Array): void {
    const check: { at: number; presence: Presence } = { at: this.#clock.monotonic(), presence: "some" };
    this.#last.set(subject, check);
    requests.request(subject, data).catch((error: unknown) => {
      if (isNoResponder(error)) check.presence = "none";
    });
  }
}
