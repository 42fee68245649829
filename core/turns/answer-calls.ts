import { z } from "zod";
import { AppError, BackboneUnavailable, messageOf } from "../contract/app-error.ts";
import { workContextOf } from "../contract/messages/work-context.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import { ChildAbort, cutToBytes, raceAbort, signalProgress } from "../lib/index.ts";
import type { ToolCall, ToolResult } from "../model/index.ts";
import { toolSpan } from "./agent-spans.ts";
import { permitOf } from "./permitted-agent.ts";
import type { CoreDeps, Turn } from "./turn.ts";

/** A response with more calls than this is a model fault. */
const MAX_CALLS = 64;

/** Answers every call of one response exactly once, concurrently. Rejects if the turn is aborted. */
export const answerCalls = async (
  deps: CoreDeps,
  turn: Turn,
  step: number,
  calls: readonly ToolCall[],
): Promise<ToolResult[]> => {
  const over = new ChildAbort(turn.signal);
  const answers = calls.map(async (call, index) => {
    try {
      return await answerCall(deps, turn, { call, step, index, signal: over.signal });
    } catch (error) {
      over.abort(error);
      throw error;
    }
  });
  // All calls are awaited, so that none still runs when another process continues the turn.
  await Promise.allSettled(answers);
  over.release();
  return Promise.all(answers);
};

interface CallInTurn {
  readonly call: ToolCall;
  readonly step: number;
  readonly index: number;
  readonly signal: AbortSignal;
}

const answerCall = async (deps: CoreDeps, turn: Turn, inTurn: CallInTurn): Promise<ToolResult> => {
  const { call, step, index } = inTurn;
  const tool = turn.agent.tools.find(({ name }) => name === call.name);
  const refused = (reason: string): ToolResult => ({ callId: call.id, name: call.name, output: reason, failed: true });
  if (call.invalid !== undefined) return refused(call.invalid);
  if (tool === undefined) return refused(`There is no tool named "${call.name}".`);
  if (index >= MAX_CALLS) return refused(`Not run: at most ${MAX_CALLS} calls at once. Call it again on its own.`);
  const input = tool.input.safeParse(call.input);
  if (!input.success) return refused(`The arguments are invalid:\n${z.prettifyError(input.error)}`);

  const trace = await turn.journal.call(step, index);
  if (typeof trace === "object") return trace.result;
  const forbidden = permitOf(turn).refusalOf(tool.needs);
  const interrupted = trace === "begun" && !tool.repeatable;
  if (forbidden !== undefined) reportForbidden(deps, turn, tool);
  const refusal = forbidden ?? (interrupted ? INTERRUPTED : undefined);
  const result =
    refusal === undefined
      ? await runNow(deps, turn, tool, { ...inTurn, call: { ...call, input: input.data } })
      : refused(refusal);
  await turn.journal.addResult(step, index, result);
  await deps.checkpoint("tool.result");
  signalProgress(deps.bus, { tenant: turn.agent.tenant, agent: turn.agent.name, traceId: turn.record.traceId });
  return result;
};

/** Operators see which rights are missed. */
const reportForbidden = ({ meter }: CoreDeps, { agent, logger }: Turn, { name: tool, needs }: Tool): void => {
  logger.warn({ tool, needs }, "tool call refused, the right is missing");
  meter.count("rights_refused_total", { agent: agent.name, needs });
};

const runNow = async (deps: CoreDeps, turn: Turn, tool: Tool, inTurn: CallInTurn): Promise<ToolResult> => {
  const { call, step, index, signal } = inTurn;
  await deps.checkpoint("tool.before");
  signal.throwIfAborted();
  if (!tool.repeatable) {
    await turn.journal.addIntent(step, index, tool.name);
    await deps.checkpoint("tool.intent");
  }
  const result = await runTool(deps, tool, call, contextOf(turn, inTurn));
  await deps.checkpoint("tool.after");
  turn.logger.info({ tool: tool.name, step, failed: result.failed ?? false }, "tool ran");
  return result;
};

const INTERRUPTED =
  "Interrupted: this call was started before a restart and its outcome is unknown. It was not run again. " +
  "Find out whether it took effect before you repeat it.";

const contextOf = (turn: Turn, { step, index, signal }: CallInTurn): ToolContext => {
  const { agent, record } = turn;
  const { standing: delegationContext, ...work } = workContextOf(record);
  return {
    tenant: agent.tenant,
    agent: agent.name,
    ...work,
    delegationContext,
    turnId: record.turnId,
    permit: permitOf(turn),
    budget: agent.budgets?.forTools(record),
    tools: agent.tools,
    idempotencyKey: `${record.turnId}/${step}/${index}`,
    signal,
  };
};

const TOOL_DEADLINE_MS = 60_000;
const MAX_OUTPUT_BYTES = 32_000;

/**
 * Runs a tool once, within its deadline. Rejects if the turn is aborted, or if the backbone failed under a repeatable
 * tool: the turn is then retried and the model does not see the failure.
 */
const runTool = async (
  { clock, meter, tracer }: CoreDeps,
  tool: Tool,
  call: ToolCall,
  context: ToolContext,
): Promise<ToolResult> => {
  const over = new ChildAbort(context.signal);
  let isLate = false;
  const timer = clock.after(tool.deadlineMs ?? TOOL_DEADLINE_MS, () => {
    isLate = true;
    over.abort(new AppError("unavailable", timeoutText(tool)));
  });
  const startedAt = clock.monotonic();
  let outcome = "done";
  try {
    const output = await raceAbort(started(tool, call.input, { ...context, signal: over.signal }), over.signal);
    return { callId: call.id, name: call.name, output: cutToBytes(output, MAX_OUTPUT_BYTES) };
  } catch (error) {
    context.signal.throwIfAborted();
    outcome = isLate ? "timeout" : "failed";
    // In a cluster the tool's bucket can be without a leader while the journal's bucket is not.
    if (tool.repeatable && error instanceof BackboneUnavailable) throw error;
    const output = cutToBytes(isLate ? timeoutText(tool) : messageOf(error), MAX_OUTPUT_BYTES);
    return { callId: call.id, name: call.name, output, failed: true };
  } finally {
    timer.cancel();
    over.release();
    meter.count("tool_runs_total", { tool: tool.name, outcome });
    const seconds = (clock.monotonic() - startedAt) / 1_000;
    meter.observe("tool_run_seconds", seconds, { tool: tool.name });
    tracer?.record(toolSpan(context, { endedAt: clock.now(), seconds, tool: tool.name, callId: call.id, outcome }));
  }
};

/** The async wrapper turns a synchronous throw into a rejection. */
const started = async (tool: Tool, input: unknown, context: ToolContext): Promise<string> => tool.run(input, context);

const timeoutText = ({ name, deadlineMs = TOOL_DEADLINE_MS }: Tool): string =>
  `${name} did not return within ${Math.round(deadlineMs / 1_000)} s. It may or may not have taken effect.`;
