import { BoundedCache } from "../../../core/contract/bounded-cache.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { StreamedText } from "../client/transcript.ts";
import { type RoomAddress, roomName } from "../history/room-address.ts";
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
  /** By conversation and message. */
  readonly #drafts = new BoundedCache<string, Map<string, Draft>>(MAX_CONVERSATIONS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(room: RoomAddress, { correlationId, ...delta }: Delta): void {
    const drafts = this.#drafts.get(roomName(room)) ?? new Map<string, Draft>();
    const draft = drafts.get(correlationId) ?? { text: new StreamedText(), at: 0 };
    draft.text.add(delta);
    draft.at = this.#clock.monotonic();
    // The beginning was lost: the rest is of no use.
    if (draft.text.text === "") return;
    drafts.set(correlationId, draft);
    this.#drafts.set(roomName(room), drafts);
  }

  /** The log has the whole answer. */
  ended(room: RoomAddress, frame: LoggedFrame): void {
    if (frame.type === "said" || frame.correlationId === undefined) return;
    const drafts = this.#drafts.get(roomName(room));
    drafts?.delete(frame.correlationId);
    if (drafts?.size === 0) this.#drafts.delete(roomName(room));
  }

  /** Another gateway may have logged the answer: the client ignores a draft of a message that has its reply. */
  sendTo(connection: Connection, room: RoomAddress): void {
    const since = this.#clock.monotonic() - MAX_AGE_MS;
    for (const [correlationId, { text, at }] of this.#drafts.get(roomName(room)) ?? []) {
      if (at < since) continue;
      const frame = { type: "delta", correlationId, attempt: text.attempt, offset: 0, text: text.text } as const;
      connection.offer(encodeFrame(frame));
    }
  }
}

const MAX_CONVERSATIONS = 2_000;
/** A turn ends within this time. */
const MAX_AGE_MS = 15 * 60_000;
