import { messageOf } from "../../contract/app-error.ts";
import type { PeerCallAddress } from "../../contract/messages/addresses.ts";
import { cutToBytes } from "../../lib/index.ts";
import { MAX_NOTE_BYTES, WorkingMemory } from "../../memory/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import { type PeerCall, peerSessionOf } from "../record/peer-call.ts";

type Deps = Pick<CoreDeps, "store" | "clock" | "logger">;

const noteKey = ({ id }: Pick<PeerCallAddress, "id">): string => `focus/${id}`;

/** Saves the delegated request in the local peer's memory (A6). A failure does not stop the work (A7). */
export const saveDelegationNote = async ({ store, clock, logger }: Deps, call: PeerCall): Promise<void> => {
  const { id, agent, message, createdAt, deadlineAt, traceId } = call;
  const text = `Asked by ${agent} at ${createdAt}:\n\n${message}`;
  try {
    const memory = new WorkingMemory(store, clock, peerSessionOf(call));
    await memory.save(noteKey(call), cutToBytes(text, MAX_NOTE_BYTES), Math.max(1, deadlineAt - clock.now()));
  } catch (error) {
    logger.warn({ call: id, traceId, error: messageOf(error) }, "could not save delegation note");
  }
};

/** A note that could not be deleted expires. */
export const deleteDelegationNote = async (
  { store, clock, logger }: Deps,
  sessionId: string,
  call: Pick<PeerCallAddress, "id">,
): Promise<void> => {
  try {
    await new WorkingMemory(store, clock, sessionId).delete(noteKey(call));
  } catch (error) {
    logger.warn({ call: call.id, error: messageOf(error) }, "could not delete delegation note");
  }
};
