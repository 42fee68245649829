import type { Moderator, Verdict } from "../contract/ports/moderator.ts";
import { raceAbort } from "../lib/index.ts";
import type { TurnEntry } from "../sessions/index.ts";
import { type Agent, type TurnEnd, textsOf } from "../turns/index.ts";
import type { TurnRecord } from "../turns/record/index.ts";
import type { TurnPrompt } from "../turns/source/index.ts";
import type { IntakeDeps } from "./intake-deps.ts";

type Deps = Pick<IntakeDeps, "moderator" | "stopping" | "blocked">;

/** Stands for a refused message in the history, so that the model never reads it. */
export const REFUSED_PROMPT = "(a message that was refused)";

/**
 * The end of a turn whose message is refused; undefined if the message is allowed. The end is journaled as the turn's
 * entry. After a crash before that, the check is repeated with the same id.
 */
export const refusedMessage = async (
  deps: Deps,
  agent: Agent,
  record: TurnRecord,
  { text, quoted, isFromOutside }: TurnPrompt,
): Promise<TurnEnd | undefined> => {
  const { moderator, blocked } = deps;
  if (!moderator?.checksMessages || isFromOutside !== true || blocked.hasAsker(agent.tenant, record.audience)) {
    return undefined;
  }
  const verdict = await ask(deps, moderator, agent, record, {
    kind: "message",
    text: quoted === undefined ? text : `${text}\n\n${quoted.text}`,
  });
  return verdict.allowed ? undefined : { outcome: "failed", finalText: verdict.text, messages: [] };
};

type Answer = Pick<TurnEntry, "outcome" | "finalText" | "suppressed">;

/** The replacement of a refused answer. The entry stores only the replacement, so a retry cannot publish the answer. */
export const withheldAnswer = async (
  deps: Deps,
  agent: Agent,
  record: TurnRecord,
  { outcome, finalText, suppressed }: Answer,
): Promise<Pick<TurnEntry, "outcome" | "finalText"> | undefined> => {
  const isModelText = outcome === "answered" || outcome === "cancelled";
  if (!deps.moderator?.checksAnswers || !isModelText || finalText === "" || suppressed) return undefined;
  const verdict = await ask(deps, deps.moderator, agent, record, { kind: "answer", text: finalText });
  return verdict.allowed ? undefined : { outcome: "failed", finalText: verdict.text };
};

/** A process that stops leaves the check to the next one. */
const ask = (
  { stopping }: Deps,
  moderator: Moderator,
  { tenant, name }: Agent,
  record: TurnRecord,
  { kind, text }: { readonly kind: "message" | "answer"; readonly text: string },
): Promise<Verdict> => {
  const { turnId, audience } = record;
  const { conversation, accountId: account } = audience;
  const where = { channel: conversation.channel, conversation: conversation.kind };
  return raceAbort(
    moderator.check({ kind, id: `${turnId}/${kind}`, tenant, agent: name, ...where, account, text }, textsOf(record)),
    stopping,
  );
};
