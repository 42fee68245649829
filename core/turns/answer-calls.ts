import { z } from "zod";
import type { Tool, ToolContext } from "../contract/tool.ts";
import { ChildAbort } from "../lib/index.ts";
import type { ToolCall, ToolResult } from "../model/index.ts";
import { runTool } from "./run-tool.ts";
import { signalProgress } from "./signal-progress.ts";
import type { CoreParts, Turn } from "./turn.ts";

/** More calls than this in one response are a model gone wrong. */
const MAX_CALLS = 64;

/** Answers every call of one response exactly once, side by side. Rejects if this run of the turn is over. */
export const answerCalls = async (
  parts: CoreParts,
  turn: Turn,
  step: number,
  calls: readonly ToolCall[],
): Promise<ToolResult[]> => {
  const over = new ChildAbort(turn.signal);
  const answers = calls.map(async (call, index) => {
    try {
      return await answerCall(parts, turn, { call, step, index, signal: over.signal });
    } catch (error) {
      over.abort(error);
      throw error;
    }
  });
  // All of them are awaited, so that nothing of this run goes on behind the back of the next.
  await Promise.allSettled(answers);
  over.release();
  return Promise.all(answers);
};

interface Place {
  readonly call: ToolCall;
  readonly step: number;
  readonly index: number;
  readonly signal: AbortSignal;
}

const answerCall = async (parts: CoreParts, turn: Turn, place: Place): Promise<ToolResult> => {
  const { call, step, index } = place;
  const tool = turn.agent.tools.find(({ name }) => name === call.name);
  const refused = (reason: string): ToolResult => ({ callId: call.id, name: call.name, output: reason, failed: true });
  if (call.invalid !== undefined) return refused(call.invalid);
  if (tool === undefined) return refused(`There is no tool named "${call.name}".`);
  if (index >= MAX_CALLS) return refused(`Not run: at most ${MAX_CALLS} calls at once. Call it again on its own.`);
  const input = tool.input.safeParse(call.input);
  if (!input.success) return refused(`The arguments do not fit:\n${z.prettifyError(input.error)}`);

  const trace = await turn.journal.call(step, index);
  if (typeof trace === "object") return trace.result;
  const interrupted = trace === "begun" && !tool.repeatable;
  const result = interrupted
    ? refused(INTERRUPTED)
    : await runNow(parts, turn, tool, { ...place, call: { ...call, input: input.data } });
  await turn.journal.addResult(step, index, result);
  await parts.checkpoint("tool.result");
  signalProgress(parts.bus, { tenant: turn.agent.tenant, agent: turn.agent.name, traceId: turn.record.traceId });
  return result;
};

const runNow = async (parts: CoreParts, turn: Turn, tool: Tool, place: Place): Promise<ToolResult> => {
  const { call, step, index } = place;
  await parts.checkpoint("tool.before");
  place.signal.throwIfAborted();
  if (!tool.repeatable) {
    await turn.journal.addIntent(step, index, tool.name);
    await parts.checkpoint("tool.intent");
  }
  const result = await runTool(parts, tool, call, contextOf(turn, place));
  await parts.checkpoint("tool.after");
  turn.logger.info({ tool: tool.name, step, failed: result.failed ?? false }, "tool ran");
  return result;
};

const INTERRUPTED =
  "Interrupted: this call was begun before a restart and its outcome is unknown. It was not run again. " +
  "Find out whether it took effect before you repeat it.";

const contextOf = ({ agent, record }: Turn, { step, index, signal }: Place): ToolContext => ({
  tenant: agent.tenant,
  agent: agent.name,
  sessionId: record.sessionId,
  turnId: record.turnId,
  origin: record.origin,
  audience: record.audience,
  asker: record.asker,
  standing: record.standing,
  tools: agent.tools.map(({ name }) => name),
  traceId: record.traceId,
  idempotencyKey: `${record.turnId}/${step}/${index}`,
  signal,
});
