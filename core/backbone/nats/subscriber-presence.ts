import type { Clock } from "../../contract/clock.ts";
import { isNoResponder } from "./nats-fault.ts";
import type { NatsSession } from "./nats-session.ts";

/** Whether a subscriber was there at the last check; "unknown" if that check has expired. */
export type Presence = "some" | "none" | "unknown";

/** How long the result of a check counts. */
export const PRESENCE_TTL_MS = 250;

/** Whether a subject has subscribers: the server answers a request to a subject that has none. */
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

  /** Sends the data as a request. Subscribers do not answer it: without an answer the subject counts as subscribed. */
  check({ requests }: NatsSession, subject: string, data: Uint8Array): void {
    const check: { at: number; presence: Presence } = { at: this.#clock.monotonic(), presence: "some" };
    this.#last.set(subject, check);
    requests.request(subject, data).catch((error: unknown) => {
      if (isNoResponder(error)) check.presence = "none";
    });
  }
}
