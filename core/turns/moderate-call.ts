import type { Tool } from "../contract/tool.ts";
import { raceAbort } from "../lib/index.ts";
import type { CoreDeps, Turn } from "./turn.ts";

const WITHHELD =
  "Refused: the operator of this service does not allow these words where people see them. Choose other words for the " +
  "names, titles and texts of this call.";

/**
 * Checks the texts of a call that people see later outside of answers: names of subtasks, titles of schedules, notes. So
 * no unchecked one is ever stored. Undefined: they may be shown.
 */
export const withheldCall = async (
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
