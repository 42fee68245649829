import type { UserSignal } from "../../../core/contract/messages/signals.ts";
import { MAIN, roomOf } from "../history/room-address.ts";
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
  const address = roomOf(signal.conversation);
  const room = rooms.find(address);
  if (signal.type === "logged") {
    const elsewhere = () => encodeFrame({ type: "elsewhere", conversation: address.thread ?? MAIN });
    if (signal.seq === LIST_CHANGED) {
      room?.dropRecentFrames();
      rooms.offerAll(address.visitor, elsewhere());
    } else {
      void room?.catchUp(signal.seq);
      rooms.offerElsewhere(address, elsewhere);
    }
  } else if (signal.type === "typing") room?.offer(TYPING);
  else {
    const correlationId = clientIdOf(signal.correlationId, channel, address.visitor);
    const { attempt, offset, text } = signal;
    if (correlationId === undefined) return;
    const delta = { type: "delta", correlationId, attempt, offset, text } as const;
    drafts.add(address, delta);
    room?.offer(encodeFrame(delta));
  }
};

/** The `seq` of a signal about the visitor's list; a conversation of it may have been deleted. */
export const LIST_CHANGED = 0;

const TYPING = encodeFrame({ type: "typing" });
