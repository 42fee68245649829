import type { UserSignal } from "../../../core/contract/messages/signals.ts";
import { clientIdOf } from "../inbound.ts";
import { encodeFrame } from "./frame-codec.ts";
import type { LiveDrafts } from "./live-drafts.ts";
import type { OpenRooms } from "./open-rooms.ts";

interface SignalDeps {
  readonly channel: string;
  readonly rooms: OpenRooms;
  readonly drafts: LiveDrafts;
}

/** Passes a signal to the sockets of its conversation, if this process has any. */
export const showSignal = (signal: UserSignal, { channel, rooms, drafts }: SignalDeps): void => {
  if (signal.conversation.channel !== channel) return;
  const visitor = signal.conversation.room;
  const room = rooms.find(visitor);
  if (signal.type === "logged") void room?.catchUp(signal.seq);
  else if (signal.type === "typing") room?.offer(TYPING);
  else {
    const correlationId = clientIdOf(signal.correlationId, channel, visitor);
    const { attempt, offset, text } = signal;
    if (correlationId === undefined) return;
    const delta = { type: "delta", correlationId, attempt, offset, text } as const;
    drafts.add(visitor, delta);
    room?.offer(encodeFrame(delta));
  }
};

const TYPING = encodeFrame({ type: "typing" });
