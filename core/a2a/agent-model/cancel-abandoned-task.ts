import { isoTime } from "../../contract/ports/clock.ts";
import type { CoreDeps } from "../../turns/index.ts";
import type { TurnHook } from "../../turns/source/index.ts";
import type { AgentConnections } from "./agent-connections.ts";
import { followInBackground } from "./background-task.ts";
import { dropQuestion, markCancelled, readTurnTask } from "./turn-task.ts";

interface CancelDeps extends Pick<CoreDeps, "bus" | "store" | "clock"> {
  readonly agentConnections: Pick<AgentConnections, "of">;
}

/**
 * Has the task of a turn cancelled that was stopped, timed out or failed. The request is stored, so that an agent that
 * cannot be reached now gets it later.
 */
export const cancelAbandonedTask = ({ bus, store, clock, agentConnections }: CancelDeps): TurnHook => ({
  async onEnd({ agent: { tenant, name: agent }, record, entry }) {
    if (agentConnections.of(agent) === undefined || record === undefined || entry?.outcome === "answered") return;
    const turn = { ...record, tenant, agent };
    const task = await readTurnTask(store, turn);
    if (task === undefined) return;
    const taskId = task.taskId ?? task.answers?.taskId;
    if (taskId !== undefined) await dropQuestion(store, turn, taskId);
    await markCancelled(store, turn, isoTime(clock.now()));
    await followInBackground(bus, turn);
  },
});
