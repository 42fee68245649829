import { messageOf, RevisionConflict } from "../../contract/app-error.ts";
import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import { hasEnded, type Subtask } from "../../contract/messages/subtask.ts";
import { ack, type DeadLetter, MAX_FAILURES, type Outcome, type Received } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Stored } from "../../contract/ports/store.ts";
import type { Meter } from "../../contract/ports/telemetry.ts";
import type { Tool } from "../../contract/tool.ts";
import { ChildAbort, deadLetterFallback } from "../../lib/index.ts";
import type { BlockedAccounts } from "../../rights/index.ts";
import {
  type Agent,
  permittedAgent,
  type RunningTurns,
  type TurnEnd,
  TurnTimedOut,
  TurnYielded,
  withOfferedTools,
} from "../../turns/index.ts";
import { maxDepth } from "../../turns/limits/index.ts";
import { withArtifacts } from "../../workspaces/index.ts";
import { cancelChildren, reportEnd } from "../batch/report-end.ts";
import type { SubtaskDeps } from "../deps.ts";
import { begun, changeStored, changeSubtask } from "../record/change-subtask.ts";
import { type Ending, endKnown, endSubtask } from "../record/end-subtask.ts";
import { claimFirst, DeferredStartWrite } from "./deferred-start-write.ts";
import { runSubagent, type SubagentDeps, subagentFor } from "./run-subagent.ts";
import { SubtaskStopped } from "./subtask-inbox.ts";

export interface RunDeps extends SubagentDeps {
  readonly stopping: AbortSignal;
  readonly turnDeadlineMs: number;
  readonly running: RunningGauge;
  readonly turns: Pick<RunningTurns, "isRunning" | "whenOver">;
  readonly blocked: BlockedAccounts;
  /** Tools for subagents only. */
  readonly ownTools: readonly Tool[];
}

/** Retry delay after losing the run to another process; by then it has finished or its lease has expired. */
const YIELDED_RETRY_MS = 1_000;

/** Runs a subtask from its claim to the report to its owner. A retry resumes from the journal (S11). */
export const handleSubtaskRun = async (
  deps: RunDeps,
  agent: Agent,
  address: SubtaskAddress,
  { attempt }: Pick<Received, "attempt">,
): Promise<Outcome> => {
  await deps.checkpoint("subtask.received", address.id);
  const claimed = await (attempt === 1 ? claimFirst : claimAgain)(deps, address);
  if (claimed === undefined) {
    deps.logger.warn({ subtask: address.id }, "subtask has no record, run dropped");
    return ack;
  }
  const subtask = claimed.value;
  await deps.checkpoint("subtask.claimed");
  deps.activity.touch(subtask);
  try {
    const ended = hasEnded(subtask) ? subtask : await workOn(deps, agent, claimed);
    if (ended !== undefined) {
      const { parentTurnId } = ended;
      deps.turns.whenOver(parentTurnId, () => deps.owners.release(parentTurnId));
      await reportEnd(deps, ended, () => deps.turns.isRunning(parentTurnId));
      if (ended.depth < maxDepth(agent.delegation, ended.background)) await cancelChildren(deps, ended);
    }
    return ack;
  } catch (error) {
    if (!(error instanceof TurnYielded) && !(error instanceof RevisionConflict)) throw error;
    deps.logger.info(
      { subtask: subtask.id, traceId: subtask.traceId, reason: messageOf(error) },
      "subtask run yielded, will be retried",
    );
    // A yielded run does not count as a failed attempt.
    await changeSubtask(deps, address, (current) =>
      hasEnded(current) ? current : { ...current, yields: current.yields + 1 },
    );
    return { retryInMs: YIELDED_RETRY_MS };
  }
};

/** Claims a subtask after a run that did not end it, and counts the run. An ended subtask stays unchanged. */
const claimAgain = (deps: SubtaskDeps, address: SubtaskAddress): Promise<Stored<Subtask> | undefined> =>
  changeStored(deps, address, (subtask) =>
    hasEnded(subtask) ? subtask : { ...begun(subtask, isoTime(deps.clock.now())), runs: subtask.runs + 1 },
  );

const workOn = async (deps: RunDeps, agent: Agent, claimed: Stored<Subtask>): Promise<Subtask | undefined> => {
  const subtask = claimed.value;
  // One less than the bus allows, because the report to the owner needs a run too (S7).
  const interrupted = subtask.runs - subtask.yields;
  if (interrupted >= MAX_FAILURES - 1) {
    const error = `It was started ${interrupted} times, and each run was interrupted.`;
    return endSubtask(deps, subtask, failed(error));
  }
  const { tenant, audience } = subtask;
  if (await deps.blocked.stillHasAsker(tenant, audience)) return endSubtask(deps, subtask, stopped);
  const over = new ChildAbort(deps.stopping);
  const stop = () => over.abort(new SubtaskStopped(subtask.id));
  const unwatchAsker = deps.blocked.watchAsker(tenant, audience, stop);
  const timer = deps.clock.after(deps.turnDeadlineMs, () => over.abort(new TurnTimedOut(deps.turnDeadlineMs)));
  const unwatch = deps.events.watch([subtask.id], ({ isOver }) => {
    if (isOver) stop();
  });
  deps.running.add(agent.name, 1);
  const startWrite = new DeferredStartWrite(deps, claimed);
  const workspaces = subtask.workspace && deps.workspaces.get(agent.name);
  const changed = async (ending: Ending): Promise<Ending> => {
    if (workspaces === undefined) return ending;
    const result = await withArtifacts(deps, workspaces, subtask, ending.result);
    await deps.checkpoint("workspace.closed");
    return { ...ending, result };
  };
  try {
    const openError = await workspaces?.open(subtask).then(() => undefined, messageOf);
    if (workspaces) await deps.checkpoint("workspace.opened");
    if (openError !== undefined)
      return await endSubtask(deps, subtask, failed(`Its workspace could not be opened: ${openError}`));
    const offered = await withOfferedTools(agent, subtask.asker);
    const subagent = permittedAgent(subagentFor(offered, subtask, deps.ownTools), subtask.asker);
    return await runSubagent(deps, subagent, claimed, over.signal, async (end, latest, mayEnd) => {
      const started = await startWrite.close();
      const known = latest.revision === claimed.revision ? (started ?? latest) : latest;
      return endKnown(deps, known, await changed(endingFor(end)), mayEnd);
    });
  } catch (error) {
    const ending = endingAfter(error);
    if (ending === undefined) throw error;
    return await endSubtask(deps, subtask, await changed(ending));
  } finally {
    await startWrite.close();
    timer.cancel();
    unwatch();
    unwatchAsker();
    over.release();
    deps.running.add(agent.name, -1);
  }
};

/** A final text counts as the result. An end that complete_subtask stored before takes precedence (S7). */
const endingFor = ({ outcome, finalText, failure, files = [] }: TurnEnd): Ending => {
  if (outcome === "answered" && (finalText.trim() !== "" || files.length > 0)) {
    return {
      status: "completed",
      result: { status: "success", output: finalText, ...(files.length > 0 && { files }) },
    };
  }
  if (failure === "turn-timeout") return timedOut;
  return failed(outcome === "failed" ? finalText : "It ended without a result.");
};

const endingAfter = (error: unknown): Ending | undefined => {
  if (error instanceof SubtaskStopped) return stopped;
  if (error instanceof TurnTimedOut) return timedOut;
  return undefined;
};

const failed = (error: string): Ending => ({ status: "failed", result: { status: "failed", output: "", error } });

const timedOut: Ending = {
  status: "failed",
  result: { status: "timeout", output: "", error: "It was not done in time." },
};

const stopped: Ending = { ...timedOut, status: "cancelled" };

/**
 * Fails a subtask whose run became a dead letter, and reports that to its owner (S7). The message id is the subtask's
 * id, so the dead letter names the subtask even if its body is unreadable.
 */
export const handleRunDeadLetter = (deps: SubtaskDeps, agent: Agent, letter: DeadLetter): Promise<void> =>
  deadLetterFallback(deps.logger, letter, async () => {
    const address = { tenant: agent.tenant, agent: agent.name, id: letter.id };
    const error = `It failed after ${letter.attempts} attempts: each run was interrupted.`;
    const ended = await endSubtask(deps, address, {
      status: "failed",
      result: { status: "failed", output: "", error },
    });
    if (ended === undefined) return;
    await reportEnd(deps, ended);
    await cancelChildren(deps, ended);
  });

/** Counts the running subtasks of each agent in this process. */
export class RunningGauge {
  readonly #meter: Meter;
  readonly #running = new Map<string, number>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  add(agent: string, by: number): void {
    const running = (this.#running.get(agent) ?? 0) + by;
    this.#running.set(agent, running);
    this.#meter.gauge("subtasks_running", running, { agent });
  }
}
