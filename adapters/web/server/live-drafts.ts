import { BoundedCache } from "../../../core/contract/bounded-cache.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { StreamedText } from "../client/transcript.ts";
import type { LoggedFrame, ServerFrame } from "../protocol.ts";
import type { Connection } from "./connection.ts";
import { encodeFrame } from "./frame-codec.ts";

type Delta = Extract<ServerFrame, { type: "delta" }>;

interface Draft {
  readonly text: StreamedText;
  /** Monotonic milliseconds of the last delta. */
  at: number;
}

/** The texts of running answers, so that a client that connects in the middle gets the part before. */
export class LiveDrafts {
  readonly #clock: Clock;
  /** By visitor and message. */
  readonly #drafts = new BoundedCache<string, Map<string, Draft>>(MAX_VISITORS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(visitor: string, { correlationId, ...delta }: Delta): void {
    const ofVisitor = this.#drafts.get(visitor) ?? new Map<string, Draft>();
    const draft = ofVisitor.get(correlationId) ?? { text: new StreamedText(), at: 0 };
    draft.text.add(delta);
    draft.at = this.#clock.monotonic();
    // The beginning was lost: the rest is of no use.
    if (draft.text.text === "") return;
    ofVisitor.set(correlationId, draft);
    this.#drafts.set(visitor, ofVisitor);
  }

  /** The log has the whole answer. */
  ended(visitor: string, frame: LoggedFrame): void {
    if (frame.type === "said" || frame.correlationId === undefined) return;
    const ofVisitor = this.#drafts.get(visitor);
    ofVisitor?.delete(frame.correlationId);
    if (ofVisitor?.size === 0) this.#drafts.delete(visitor);
  }

  /** Another gateway may have logged the answer: the client ignores a draft of a message that has its reply. */
  sendTo(connection: Connection, visitor: string): void {
    const since = this.#clock.monotonic() - MAX_AGE_MS;
    for (const [correlationId, { text, at }] of this.#drafts.get(visitor) ?? []) {
      if (at < since) continue;
      const frame = { type: "delta", correlationId, attempt: text.attempt, offset: 0, text: text.text } as const;
      connection.offer(encodeFrame(frame));
    }
  }
}

const MAX_VISITORS = 2_000;
/** A turn ends within this time. */
const MAX_AGE_MS = 15 * 60_000;
