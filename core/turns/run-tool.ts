import { AppError, BackboneUnavailable, messageOf } from "../contract/app-error.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import { ChildAbort, cutToBytes, raceAbort } from "../lib/index.ts";
import type { ToolCall, ToolResult } from "../model/index.ts";
import { toolSpan } from "./agent-spans.ts";
import type { CoreParts } from "./turn.ts";

const TOOL_DEADLINE_MS = 60_000;
const MAX_OUTPUT_BYTES = 32_000;

/**
 * Runs a tool once, within its deadline. Rejects if the context's signal was aborted, because the turn is over, or if the
 * backbone failed under a tool that can be repeated: the turn is then retried, and the model need not know.
 */
export const runTool = async (
  { clock, meter, tracer }: CoreParts,
  tool: Tool,
  call: ToolCall,
  context: ToolContext,
): Promise<ToolResult> => {
  const over = new ChildAbort(context.signal);
  let isLate = false;
  const timer = clock.after(tool.deadlineMs ?? TOOL_DEADLINE_MS, () => {
    isLate = true;
    over.abort(new AppError("unavailable", givenUp(tool)));
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
    const output = cutToBytes(isLate ? givenUp(tool) : messageOf(error), MAX_OUTPUT_BYTES);
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

/** A tool that throws before its first await is no different from one that rejects. */
const started = async (tool: Tool, input: unknown, context: ToolContext): Promise<string> => tool.run(input, context);

const givenUp = ({ name, deadlineMs = TOOL_DEADLINE_MS }: Tool): string =>
  `${name} gave no answer within ${Math.round(deadlineMs / 1_000)} s. Whether it took effect is unknown.`;
