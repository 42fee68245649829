import { messageOf, RevisionConflict } from "../contract/app-error.ts";
import type { Outcome, Received } from "../contract/bus.ts";
import { ack, MAX_FAILURES } from "../contract/bus.ts";
import type { Stored } from "../contract/store.ts";
import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { SubtaskAddress } from "../contract/subtask-message.ts";
import type { Tool } from "../contract/tool.ts";
import { ChildAbort } from "../lib/index.ts";
import { type Agent, deepest, type RunningTurns, type TurnEnd, TurnTimedOut, TurnYielded } from "../turns/index.ts";
import { withArtifacts } from "../workspaces/index.ts";
import { BegunNote } from "./begun-note.ts";
import { cancelChildren } from "./cancel-subtask.ts";
import type { Ending } from "./change-subtask.ts";
import { changeSubtask, claimAgain, claimFirst, endKnown, endSubtask } from "./change-subtask.ts";
import { reportEnd } from "./report-end.ts";
import type { SubagentParts } from "./run-subagent.ts";
import { runSubagent } from "./run-subagent.ts";
import type { RunningGauge } from "./running-gauge.ts";
import { subagentFor } from "./subagent.ts";
import { SubtaskStopped } from "./subtask-stopped.ts";

export interface RunParts extends SubagentParts {
  readonly stopping: AbortSignal;
  readonly turnDeadlineMs: number;
  readonly running: RunningGauge;
  readonly turns: Pick<RunningTurns, "isRunning">;
  /** Tools that only subagents have. */
  readonly ownTools: readonly Tool[];
}

/** Whoever has it now should be done, or dead, by then. */
const TAKEN_OVER_PAUSE_MS = 1_000;

/** One subtask, from its claim to the word to its owner. Taken up again, it goes on from its journal (S11). */
export const handleSubtaskRun = async (
  parts: RunParts,
  agent: Agent,
  address: SubtaskAddress,
  { attempt }: Pick<Received, "attempt">,
): Promise<Outcome> => {
  await parts.checkpoint("subtask.received", address.id);
  const claimed = await (attempt === 1 ? claimFirst : claimAgain)(parts, address);
  if (claimed === undefined) {
    parts.logger.warn({ subtask: address.id }, "no record of a subtask that is to be run");
    return ack;
  }
  const subtask = claimed.value;
  await parts.checkpoint("subtask.claimed");
  parts.activity.touch(subtask);
  try {
    const ended = hasEnded(subtask) ? subtask : await workOn(parts, agent, claimed);
    if (ended !== undefined) {
      await reportEnd(parts, ended, () => parts.turns.isRunning(ended.parentTurnId));
      if (ended.depth < deepest(agent.delegation, ended.background)) await cancelChildren(parts, ended);
    }
    return ack;
  } catch (error) {
    if (!(error instanceof TurnYielded) && !(error instanceof RevisionConflict)) throw error;
    parts.logger.info({ subtask: subtask.id, traceId: subtask.traceId, why: messageOf(error) }, "subtask left");
    // Not its fault: this run does not count against it.
    await changeSubtask(parts, address, (left) => (hasEnded(left) ? left : { ...left, yields: left.yields + 1 }));
    return { retryInMs: TAKEN_OVER_PAUSE_MS };
  }
};

const workOn = async (parts: RunParts, agent: Agent, claimed: Stored<Subtask>): Promise<Subtask | undefined> => {
  const subtask = claimed.value;
  // One less than the bus allows: the word to the owner needs a run too (S7).
  const brokenOff = subtask.runs - subtask.yields;
  if (brokenOff >= MAX_FAILURES - 1) {
    const error = `It was begun ${brokenOff} times, and each time something broke off the work.`;
    return endSubtask(parts, subtask, failed(error));
  }
  const over = new ChildAbort(parts.stopping);
  const timer = parts.clock.after(parts.turnDeadlineMs, () => over.abort(new TurnTimedOut(parts.turnDeadlineMs)));
  const unwatch = parts.events.watch([subtask.id], ({ isOver }) => {
    if (isOver) over.abort(new SubtaskStopped(subtask.id));
  });
  parts.running.add(agent.name, 1);
  const note = new BegunNote(parts, claimed);
  const workspaces = subtask.workspace && parts.workspaces.get(agent.name);
  const changed = async (ending: Ending): Promise<Ending> => {
    if (workspaces === undefined) return ending;
    const result = await withArtifacts(parts, workspaces, subtask, ending.result);
    await parts.checkpoint("workspace.closed");
    return { ...ending, result };
  };
  try {
    const obstacle = await workspaces?.open(subtask).then(() => undefined, messageOf);
    if (workspaces) await parts.checkpoint("workspace.opened");
    if (obstacle !== undefined) return await endSubtask(parts, subtask, failed(`It has no workspace: ${obstacle}`));
    const subagent = subagentFor(agent, subtask, parts.ownTools);
    return await runSubagent(parts, subagent, claimed, over.signal, async (end, latest, mayEnd) => {
      const noted = await note.close();
      const known = latest.revision === claimed.revision ? (noted ?? latest) : latest;
      return endKnown(parts, known, await changed(endingFor(end)), mayEnd);
    });
  } catch (error) {
    const ending = endingAfter(error);
    if (ending === undefined) throw error;
    return await endSubtask(parts, subtask, await changed(ending));
  } finally {
    await note.close();
    timer.cancel();
    unwatch();
    over.release();
    parts.running.add(agent.name, -1);
  }
};

/** A text counts as the result; the end that complete_subtask wrote is there already and stays (S7). */
const endingFor = ({ outcome, finalText, trouble }: TurnEnd): Ending => {
  if (outcome === "answered" && finalText.trim() !== "") {
    return { status: "completed", result: { status: "success", output: finalText } };
  }
  if (trouble === "turn-timeout") return timedOut;
  return failed(outcome === "failed" ? finalText : "It ended without a result.");
};

const endingAfter = (error: unknown): Ending | undefined => {
  if (error instanceof SubtaskStopped) return { ...timedOut, status: "cancelled" };
  if (error instanceof TurnTimedOut) return timedOut;
  return undefined;
};

const failed = (error: string): Ending => ({ status: "failed", result: { status: "failed", output: "", error } });

const timedOut: Ending = {
  status: "failed",
  result: { status: "timeout", output: "", error: "It was not done in time." },
};
