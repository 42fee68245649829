import { isDeepStrictEqual } from "node:util";
import type { Store } from "../contract/ports/store.ts";
import type { Tool } from "../contract/tool.ts";
import { cutAtGraphemes } from "../lib/index.ts";
import type { ChatMessage, ToolCall, ToolResult } from "../model/index.ts";
import { Journal } from "./turn-records.ts";

/** A call that ran for an earlier version of the message. Without a result, its outcome is unknown. */
export interface EarlierCall {
  readonly name: string;
  readonly input: unknown;
  readonly result: ToolResult | undefined;
}

/** The calls with effects that the replaced turns have made, from their journals. */
export const earlierCallsOf = async (
  store: Store,
  turnIds: readonly string[],
  tools: readonly Tool[],
): Promise<readonly EarlierCall[]> => (await Promise.all(turnIds.map((id) => callsOfTurn(store, id, tools)))).flat();

const callsOfTurn = async (store: Store, turnId: string, tools: readonly Tool[]): Promise<EarlierCall[]> => {
  const journal = new Journal(store, turnId, false);
  const found: EarlierCall[] = [];
  for (let step = 0; ; step++) {
    const response = await journal.response(step);
    if (response === undefined) return found;
    for (const [index, { name, input }] of response.toolCalls.entries()) {
      if (!hasEffects(tools, name)) continue;
      const trace = await journal.call(step, index);
      if (trace === "begun") found.push({ name, input, result: undefined });
      else if (trace !== "untouched" && !trace.result.failed) found.push({ name, input, result: trace.result });
    }
  }
};

/** A repeatable tool is safe to run again. An unknown one can no longer run at all. */
const hasEffects = (tools: readonly Tool[], name: string): boolean =>
  tools.some((tool) => tool.name === name && !tool.repeatable);

/** The result of the same call for an earlier version; undefined if there was none. */
export const earlierResult = (
  earlier: readonly EarlierCall[] | undefined,
  { id: callId, name, input }: ToolCall,
): ToolResult | undefined => {
  const same = earlier?.find((call) => call.name === name && isDeepStrictEqual(call.input, input));
  if (same === undefined) return undefined;
  if (same.result === undefined) return { callId, name, output: UNKNOWN_OUTCOME, failed: true, isEarlier: true };
  const { durationMs: _, ...result } = same.result;
  const output = result.isEarlier ? result.output : `${NOT_AGAIN}\n${result.output}`;
  return { ...result, callId, output, isEarlier: true };
};

const NOT_AGAIN =
  "Not run again: this call already ran for an earlier version of the person's message. Its result at that time:";
const UNKNOWN_OUTCOME =
  "Not run again: this call was started for an earlier version of the person's message and its outcome is unknown. " +
  "Find out whether it took effect before you repeat it.";

const MAX_LISTED = 20;
const MAX_INPUT_CHARS = 300;

/** Tells the model that effects of the earlier versions remain. */
export const earlierCallsNote = (earlier: readonly EarlierCall[]): string | undefined =>
  earlier.length === 0
    ? undefined
    : [
        "The person has replaced an earlier version of their last message. These tool calls already ran for it, and their effects remain. Do not repeat one unless the new version asks for it:",
        ...earlier
          .slice(-MAX_LISTED)
          .map(({ name, input }) => `- ${name} ${cutAtGraphemes(JSON.stringify(input) ?? "", MAX_INPUT_CHARS)}`),
      ].join("\n");

/** Tells the person which calls were kept, and which tools ran once more; undefined if there is nothing to say (C5). */
export const aboutEarlierCalls = (
  earlier: readonly EarlierCall[],
  messages: readonly ChatMessage[],
): string | undefined => {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const kept = namesOf(results.filter(({ isEarlier }) => isEarlier === true));
  const again = namesOf(
    results.filter(({ isEarlier, name, durationMs }) => {
      return !isEarlier && durationMs !== undefined && earlier.some((call) => call.name === name);
    }),
  );
  const lines = [
    ...(kept === "" ? [] : [`_Not run again, the earlier result counts: ${kept}._`]),
    ...(again === "" ? [] : [`_Run again for this version: ${again}._`]),
  ];
  return lines.length === 0 ? undefined : lines.join("\n\n");
};

const namesOf = (results: readonly ToolResult[]): string =>
  [...new Set(results.map(({ name }) => `\`${name}\``))].join(", ");
