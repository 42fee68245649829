import { messageOf } from "../contract/app-error.ts";
import type { PeerCallAddress } from "../contract/peer-call-address.ts";
import { cutToBytes } from "../lib/index.ts";
import { MAX_NOTE_BYTES, WorkingMemory } from "../memory/index.ts";
import type { CoreParts } from "../turns/index.ts";
import type { PeerCall } from "./peer-call.ts";
import { peerSessionOf } from "./peer-session.ts";

export const focusKey = ({ id }: Pick<PeerCallAddress, "id">): string => `focus/${id}`;

/** Notes in a local peer's memory what it was asked to do (A6). Without the note the work is done all the same (A7). */
export const noteFocus = async ({ store, clock, logger }: CoreParts, call: PeerCall): Promise<void> => {
  const { id, agent, message, createdAt, deadlineAt, traceId } = call;
  const text = `Asked by ${agent} at ${createdAt}:\n\n${message}`;
  try {
    const memory = new WorkingMemory(store, clock, peerSessionOf(call));
    await memory.save(focusKey(call), cutToBytes(text, MAX_NOTE_BYTES), Math.max(1, deadlineAt - clock.now()));
  } catch (error) {
    logger.warn({ call: id, traceId, error: messageOf(error) }, "no focus entry for delegated work");
  }
};
