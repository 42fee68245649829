import { hasEnded } from "../../contract/messages/subtask.ts";
import type { Store } from "../../contract/ports/store.ts";
import { hasDelegated } from "../../sessions/index.ts";
import type { Agent } from "../../turns/index.ts";
import type { RecordedTurn, TurnUpdates } from "../../turns/source/index.ts";
import { readOwner } from "../owner/owner-record.ts";
import { readSubtasks } from "../record/subtask-record.ts";
import { messageHeading } from "./continuation-prompt.ts";

/**
 * The latest progress of each running subtask of a session, before the next step of its turn (S6). It starts no turn. The
 * records of the subtasks are the queue, so that nothing is lost while the session has no turn. A session that never
 * delegated reads nothing.
 */
export const statusUpdates =
  (store: Store) =>
  (agent: Agent, { record, window }: RecordedTurn): TurnUpdates => {
    const ref = { tenant: agent.tenant, agent: agent.name };
    const { ownerId } = record.standing.owner;
    const hadDelegated = hasDelegated(window);
    const delegating = new Set(agent.tools.flatMap(({ name, delegates }) => (delegates === "subtask" ? [name] : [])));
    const shown = new Map<string, number>();
    return async (messages) => {
      const delegates = messages.some(
        (message) => message.role === "assistant" && message.toolCalls.some(({ name }) => delegating.has(name)),
      );
      if (!hadDelegated && !delegates) return [];
      const { batches } = await readOwner(store, { ...ref, ownerId });
      const open = Object.values(batches).flatMap(({ members }) => members.filter(({ ended }) => !ended));
      if (open.length === 0) return [];
      const subtasks = await readSubtasks(
        store,
        ref,
        open.map(({ id }) => id),
      );
      return subtasks.flatMap((subtask) => {
        const { id, name, note, notes } = subtask;
        if (note === undefined || hasEnded(subtask) || shown.get(id) === notes) return [];
        shown.set(id, notes);
        return `${messageHeading({ type: "status_update", id, name })} ${note}`;
      });
    };
  };
