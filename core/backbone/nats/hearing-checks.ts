import type { Clock } from "../../contract/clock.ts";
import { isNoResponder } from "./nats-fault.ts";
import type { NatsSession } from "./nats-session.ts";

/** Who was there when it was last checked; "unknown" if that is too long ago. */
export type Hearers = "some" | "none" | "unknown";

/** How long an answer counts. */
export const HEARERS_KNOWN_MS = 250;

/** Whether anybody listens to a subject. The server says so of what asks for an answer, if nobody gets it. */
export class HearingChecks {
  readonly #clock: Clock;
  readonly #last = new Map<string, { readonly at: number; hearers: Hearers }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hearersOf(subject: string): Hearers {
    const last = this.#last.get(subject);
    return last === undefined || this.#clock.monotonic() - last.at >= HEARERS_KNOWN_MS ? "unknown" : last.hearers;
  }

  /** Sends it as a question. Listeners do not answer: until the server says otherwise, there are some. */
  check({ requests }: NatsSession, subject: string, data: Uint8Array): void {
    const check: { at: number; hearers: Hearers } = { at: this.#clock.monotonic(), hearers: "some" };
    this.#last.set(subject, check);
    requests.request(subject, data).catch((error: unknown) => {
      if (isNoResponder(error)) check.hearers = "none";
    });
  }
}
