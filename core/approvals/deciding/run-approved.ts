import { isoTime } from "../../contract/ports/clock.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { type Agent, permittedAgent, runTool, withOfferedTools } from "../../turns/index.ts";
import type { ApprovalDeps } from "../deps.ts";
import { type Approval, type CallOutcome, changeApproval, digestOf } from "../record/approval-record.ts";

/** Runs of a repeatable call that ended without an outcome; then its process may crash because of the call. */
const MAX_RUNS = 3;

/**
 * Runs an approved call: exactly once, or again after a crash if the tool is repeatable (T3, T4). A compare-and-set gives
 * the run to one process. Resolves to the ended approval; undefined: another process has the run.
 */
export const runApproved = async (deps: ApprovalDeps, approval: Approval): Promise<Approval | undefined> => {
  const settings = deps.asking.of(approval);
  if (settings === undefined) return end(deps, approval, "refused", "Not run: this agent does not exist any more.");
  const wasStarted = approval.state === "running";
  if (wasStarted && (!approval.isRepeatable || approval.runs >= MAX_RUNS)) {
    return end(deps, approval, "interrupted", INTERRUPTED);
  }
  const agent = await withOfferedTools(settings.agent, approval.asker);
  const tool = runnableTool(deps, agent, approval);
  if (typeof tool === "string") return end(deps, approval, "refused", tool);
  const { after, outcome } = await changeApproval(deps, approval, (current) =>
    current.state === approval.state && current.runs === approval.runs
      ? { ...current, state: "running", runs: current.runs + 1 }
      : current,
  );
  if (outcome !== "written" || after === undefined) return undefined;
  await deps.checkpoint("approval.running");
  const context = contextOf(deps, agent, after);
  const call = { id: after.id, name: tool.name, input: JSON.parse(after.input) as unknown };
  const result = await runTool(deps, tool, call, context);
  await deps.checkpoint("approval.ran");
  return end(deps, after, result.failed ? "failed" : "done", result.output);
};

const INTERRUPTED =
  "Interrupted: the call was started before a restart and its outcome is unknown. It was not run again. " +
  "Find out whether it took effect before you repeat it.";

/** The tool, if the call may run now; a text is the reason why it may not. */
const runnableTool = (deps: ApprovalDeps, agent: Agent, approval: Approval): Tool | string => {
  const { tenant, asker, audience, tool: name, definition } = approval;
  if (digestOf(approval) !== approval.digest) return "Not run: the stored call differs from the one that was approved.";
  if (deps.blocked.hasAsker(tenant, audience)) return "Not run: the account that asked for it is blocked.";
  const tool = agent.tools.find((one) => one.name === name);
  if (tool === undefined) return `Not run: there is no tool named "${name}" any more, or it cannot be reached now.`;
  const refusal = agent.rights.permit(asker).refusalOf(tool.needs);
  if (refusal !== undefined) return refusal;
  return tool.approval?.definition === definition
    ? tool
    : "Not run: the tool has changed since the call was approved. Call it again if it is still needed.";
};

const contextOf = (deps: ApprovalDeps, agent: Agent, approval: Approval): ToolContext => {
  const { tenant, sessionId, origin, audience, asker, traceId, standing, turnId, idempotencyKey } = approval;
  return {
    tenant,
    agent: agent.name,
    sessionId,
    origin,
    audience,
    asker,
    traceId,
    delegationContext: standing,
    turnId,
    permit: agent.rights.permit(asker),
    budget: agent.budgets?.forTools(approval),
    tools: permittedAgent(agent, asker).tools,
    idempotencyKey,
    askerWrote: async (url) => approval.urls?.includes(url) === true,
    signal: deps.stopping,
  };
};

/** Ends an approval that is not ended yet; resolves to the record as it is stored. */
const end = async (
  deps: ApprovalDeps,
  approval: Approval,
  outcome: CallOutcome,
  output: string,
): Promise<Approval | undefined> => {
  const endedAt = isoTime(deps.clock.now());
  const { after } = await changeApproval(deps, approval, (current) =>
    current.state === "approved" || current.state === "running"
      ? { ...current, state: "ended", outcome, output, endedAt }
      : current,
  );
  await deps.checkpoint("approval.ended");
  return after;
};

/** Ends an approval whose message became a dead letter. */
export const endAsFailed = (deps: ApprovalDeps, approval: Approval): Promise<Approval | undefined> =>
  approval.state === "running"
    ? end(deps, approval, "interrupted", INTERRUPTED)
    : end(deps, approval, "failed", "Not run: an internal error prevented it.");
