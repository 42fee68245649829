import { isDeepStrictEqual } from "node:util";
import type { Store } from "../contract/ports/store.ts";
import type { Texts } from "../contract/texts/texts.ts";
import type { Tool } from "../contract/tool.ts";
import { cutAtGraphemes } from "../lib/index.ts";
import type { ChatMessage, ToolCall, ToolResult } from "../model/index.ts";
import { Journal } from "./record/index.ts";

/** A call that ran for an earlier version of the message. Without a result, its outcome is unknown. */
export interface EarlierCall {
  readonly name: string;
  readonly input: unknown;
  readonly result: ToolResult | undefined;
  /** It delegated, so it runs again: the new answer needs results of its own. */
  readonly delegated?: boolean;
}

/** The calls with effects, or that delegated, that the replaced turns have made, from their journals. */
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
      const tool = tools.find((tool) => tool.name === name);
      if (tool === undefined || !hasEffects(tool)) continue;
      const trace = await journal.call(step, index);
      const call = { name, input, ...(tool.delegates !== undefined && { delegated: true }) };
      if (trace === "begun") found.push({ ...call, result: undefined });
      else if (trace !== "untouched" && !trace.result.failed) found.push({ ...call, result: trace.result });
    }
  }
};

/** An unknown tool can no longer run at all. */
const hasEffects = ({ repeatable, hasEffects, delegates }: Tool): boolean =>
  !repeatable || hasEffects === true || delegates !== undefined;

/** The result of the same call for an earlier version; undefined if there was none. */
export const earlierResult = (
  earlier: readonly EarlierCall[] | undefined,
  { id: callId, name, input }: ToolCall,
): ToolResult | undefined => {
  const same = earlier?.find((call) => !call.delegated && call.name === name && isDeepStrictEqual(call.input, input));
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
export const earlierCallsNote = (earlier: readonly EarlierCall[]): string | undefined => {
  const kept = earlier.filter(({ delegated }) => !delegated);
  if (kept.length === 0) return undefined;
  return [
    "The person has replaced an earlier version of their last message. These tool calls already ran for it, and their effects remain. Do not repeat one unless the new version asks for it:",
    ...kept
      .slice(-MAX_LISTED)
      .map(({ name, input }) => `- ${name} ${cutAtGraphemes(JSON.stringify(input) ?? "", MAX_INPUT_CHARS)}`),
  ].join("\n");
};

/** Tells the person which calls were kept, and which tools ran once more; undefined if there is nothing to say (C5). */
export const aboutEarlierCalls = (
  earlier: readonly EarlierCall[],
  messages: readonly ChatMessage[],
  { turns }: Texts,
): string | undefined => {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const kept = namesOf(results.filter(({ isEarlier }) => isEarlier === true));
  const again = namesOf(
    results.filter(({ isEarlier, name, durationMs }) => {
      return !isEarlier && durationMs !== undefined && earlier.some((call) => call.name === name);
    }),
  );
  const lines = [...(kept === "" ? [] : [turns.notRunAgain(kept)]), ...(again === "" ? [] : [turns.runAgain(again)])];
  return lines.length === 0 ? undefined : lines.join("\n\n");
};

const namesOf = (results: readonly ToolResult[]): string =>
  [...new Set(results.map(({ name }) => `\`${name}\``))].join(", ");
