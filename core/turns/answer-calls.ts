import { z } from "zod";
import { AppError, BackboneUnavailable, messageOf } from "../contract/app-error.ts";
import { workContextOf } from "../contract/messages/work-context.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { EndedToolCall } from "../contract/ports/telemetry.ts";
import type { Tool, ToolContext, ToolOutput } from "../contract/tool.ts";
import { ChildAbort, cutToBytes, raceAbort, signalProgress } from "../lib/index.ts";
import type { ChatMessage, ToolCall, ToolResult } from "../model/index.ts";
import { toolSpan } from "./agent-spans.ts";
import { earlierResult } from "./earlier-calls.ts";
import { permitOf } from "./permitted-agent.ts";
import { askerWrote, hasReadForeignText } from "./text-sources.ts";
import { keepOutput } from "./tool-output.ts";
import type { CoreDeps, Turn } from "./turn.ts";
import { localTimeOf } from "./turn-context.ts";

/** A response with more calls than this is a model fault. */
const MAX_CALLS = 64;

/** Answers every call of one response exactly once, concurrently. Rejects if the turn is aborted. */
export const answerCalls = async (
  deps: CoreDeps,
  turn: Turn,
  step: number,
  calls: readonly ToolCall[],
  earlier: readonly ChatMessage[],
): Promise<ToolResult[]> => {
  const over = new ChildAbort(turn.signal);
  const answers = calls.map(async (call, index) => {
    try {
      return await answerCall(deps, turn, { call, step, index, signal: over.signal, earlier });
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
  /** The calls and results of the turn before this response. */
  readonly earlier: readonly ChatMessage[];
}

const answerCall = async (deps: CoreDeps, turn: Turn, inTurn: CallInTurn): Promise<ToolResult> => {
  const { call, step, index } = inTurn;
  const tool = turn.agent.tools.find(({ name }) => name === call.name);
  const refused = (reason: string, outcome: EndedToolCall["outcome"] = "invalid"): ToolResult => {
    deps.toolCalls?.note({ ...endedCall(contextOf(deps, turn, inTurn), tool), outcome });
    return { callId: call.id, name: call.name, output: reason, failed: true };
  };
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
  const kept = forbidden === undefined && !interrupted ? earlierResult(turn.earlierCalls, call) : undefined;
  const refusal =
    forbidden ?? (interrupted ? INTERRUPTED : kept ? undefined : await withheld(deps, turn, tool, inTurn, input.data));
  const checked = { ...inTurn, call: { ...call, input: input.data } };
  const result =
    kept ??
    (refusal === undefined
      ? ((await heldResult(deps, turn, tool, checked, trace)) ?? (await runNow(deps, turn, tool, checked)))
      : refused(refusal, interrupted ? "interrupted" : "refused"));
  await turn.journal.addResult(step, index, result);
  await deps.checkpoint("tool.result");
  signalProgress(deps.bus, { tenant: turn.agent.tenant, agent: turn.agent.name, traceId: turn.record.traceId });
  return result;
};

/** The result of a call that a person must approve first; undefined if the call may run now. */
const heldResult = async (
  deps: CoreDeps,
  turn: Turn,
  tool: Tool,
  inTurn: CallInTurn,
  trace: "begun" | "untouched",
): Promise<ToolResult | undefined> => {
  const { id: callId, name, input } = inTurn.call;
  if (tool.approval === undefined || trace === "begun") return undefined;
  if (tool.approval.onlyForeignText && !hasReadForeignText(turn, inTurn.earlier)) return undefined;
  const decision = await deps.approvals?.decide(tool, input, contextOf(deps, turn, inTurn));
  if (decision?.run) return undefined;
  const { text: output, isDenied } = decision ?? { text: NOBODY_TO_ASK, isDenied: true };
  return { callId, name, output, ...(isDenied && { failed: true }) };
};

const NOBODY_TO_ASK = "Not run: a person must approve this call, and there is no conversation in which to ask.";

const withheld = (deps: CoreDeps, turn: Turn, tool: Tool, { step, index, signal }: CallInTurn, input: unknown) =>
  withheldCall(deps, turn, tool, { input, callId: `${step}/${index}`, signal });

const WITHHELD =
  "Refused: the operator of this service does not allow these words where people see them. Choose other words for the " +
  "names, titles and texts of this call.";

/**
 * Checks the texts of a call that people see later outside of answers: names of subtasks, titles of schedules, notes. So
 * no unchecked one is ever stored. Undefined: they may be shown.
 */
const withheldCall = async (
  { moderator }: Pick<CoreDeps, "moderator">,
  { agent: { tenant, name }, record: { turnId, audience }, logger }: Turn,
  tool: Tool,
  { input, callId, signal }: { readonly input: unknown; readonly callId: string; readonly signal: AbortSignal },
): Promise<string | undefined> => {
  const text = moderator?.checksAnswers ? shownTexts(tool, input).join("\n") : undefined;
  if (moderator === undefined || !text) return undefined;
  const { conversation, accountId: account } = audience;
  const where = { channel: conversation.channel, conversation: conversation.kind };
  const id = `${turnId}/${callId}/shown`;
  const verdict = await raceAbort(
    moderator.check({ kind: "answer", id, tenant, agent: name, ...where, account, text }),
    signal,
  );
  if (verdict.allowed) return undefined;
  logger.info({ tool: tool.name }, "tool call refused by moderation");
  return WITHHELD;
};

/** The question for an approval shows the whole input. */
const shownTexts = (tool: Tool, input: unknown): readonly string[] =>
  tool.approval === undefined ? (tool.shownTexts?.(input) ?? []) : [JSON.stringify(input)];

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
  const { agent, record } = turn;
  const context = contextOf(deps, turn, inTurn);
  const reporting = {
    tenant: agent.tenant,
    agent: agent.name,
    record,
    step,
    key: context.idempotencyKey,
    tool: tool.name,
  };
  const progress = (note: string) => deps.toolProgress?.note(reporting, note);
  let failed = true;
  let result: ToolResult;
  try {
    result = await runTool(deps, tool, call, { ...context, progress });
    failed = result.failed ?? false;
  } finally {
    await deps.toolProgress?.ended(reporting, failed);
  }
  await deps.checkpoint("tool.after");
  turn.logger.info({ tool: tool.name, step, failed: result.failed ?? false }, "tool ran");
  return result;
};

const INTERRUPTED =
  "Interrupted: this call was started before a restart and its outcome is unknown. It was not run again. " +
  "Find out whether it took effect before you repeat it.";

const contextOf = ({ store }: CoreDeps, turn: Turn, { step, index, signal }: CallInTurn): ToolContext => {
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
    localTime: localTimeOf(agent, record),
    signal,
    askerWrote: (url) => askerWrote(store, turn, url),
  };
};

const TOOL_DEADLINE_MS = 60_000;
const MAX_OUTPUT_BYTES = 32_000;

/**
 * Runs a tool once, within its deadline. Rejects if the turn is aborted, or if the backbone failed under a repeatable
 * tool: the turn is then retried and the model does not see the failure.
 */
export const runTool = async (
  { clock, meter, tracer, toolCalls, store, logger }: CoreDeps,
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
  const base = { callId: call.id, name: call.name };
  let outcome: "done" | "failed" | "timeout" = "done";
  try {
    const returned = await raceAbort(started(tool, call.input, { ...context, signal: over.signal }), over.signal);
    const { output, ...files } = await keepOutput(
      { store, logger, budget: context.budget },
      returned,
      context.idempotencyKey,
    );
    return { ...base, output: cutToBytes(output, MAX_OUTPUT_BYTES), ...files, ...durationSince(clock, startedAt) };
  } catch (error) {
    context.signal.throwIfAborted();
    outcome = isLate ? "timeout" : "failed";
    // In a cluster the tool's bucket can be without a leader while the journal's bucket is not.
    if (tool.repeatable && error instanceof BackboneUnavailable) throw error;
    const output = cutToBytes(isLate ? timeoutText(tool) : messageOf(error), MAX_OUTPUT_BYTES);
    return { ...base, output, failed: true, ...durationSince(clock, startedAt) };
  } finally {
    timer.cancel();
    over.release();
    meter.count("tool_runs_total", { tool: tool.name, outcome });
    const seconds = (clock.monotonic() - startedAt) / 1_000;
    meter.observe("tool_run_seconds", seconds, { tool: tool.name });
    toolCalls?.note({
      ...endedCall(context, tool),
      outcome: context.signal.aborted ? "cancelled" : outcome,
      ...durationSince(clock, startedAt),
    });
    tracer?.record(toolSpan(context, { endedAt: clock.now(), seconds, tool: tool.name, callId: call.id, outcome }));
  }
};

/** A call as operators see it. The name of a tool that does not exist is the model's own text, so it is left out. */
const endedCall = (
  { idempotencyKey, tenant, agent, asker, turnId, traceId }: ToolContext,
  tool: Tool | undefined,
): Omit<EndedToolCall, "outcome"> => ({
  id: idempotencyKey,
  tenant,
  agent,
  tool: tool?.name ?? "unknown tool",
  server: tool?.server,
  personId: asker.personId,
  turnId,
  traceId,
});

/** The async wrapper turns a synchronous throw into a rejection. */
const started = async (tool: Tool, input: unknown, context: ToolContext): Promise<string | ToolOutput> =>
  tool.run(input, context);

const durationSince = (clock: Clock, startedAt: number) => ({
  durationMs: Math.max(0, Math.round(clock.monotonic() - startedAt)),
});

const timeoutText = ({ name, deadlineMs = TOOL_DEADLINE_MS }: Tool): string =>
  `${name} did not return within ${deadlineMs < 1_000 ? `${deadlineMs} ms` : `${Math.round(deadlineMs / 1_000)} s`}. It may or may not have taken effect.`;
