import { z } from "zod";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import type { AgentReply } from "../../contract/messages/agent-reply.ts";
import { conversationKey, sameRoom } from "../../contract/messages/conversation.ts";
import { Audience } from "../../contract/messages/work-context.ts";
import type { Bus } from "../../contract/ports/bus.ts";
import { type Clock, isoTime } from "../../contract/ports/clock.ts";
import type { Logger } from "../../contract/ports/logger.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import type { Checkpoint } from "../../contract/ports/telemetry.ts";
import { createOrRead } from "../../contract/ports/update.ts";
import { textsFor } from "../../contract/texts/texts.ts";
import { stableId } from "../../lib/index.ts";
import { askingAccount, type Surface } from "../../people/index.ts";
import { askerOf, withRequester } from "../asker.ts";
import { audienceAt, type Destination } from "../destination.ts";
import { publishReply } from "../publish-reply.ts";
import { canSee, viewerTimeIn } from "../visibility.ts";
import { UNDELIVERABLE_FIELD, type UndeliverableResult, undeliverableNotice } from "./undeliverable-result.ts";

export interface FallbackDeps {
  readonly store: Store;
  /** The agent's home, for messages that have no other recipient. */
  readonly home?: Destination | undefined;
  /** Whether the agent has a channel of this name. */
  readonly hasChannel: (channel: string) => boolean;
}

interface FallbackConversation {
  readonly audience: Audience;
  /** The conversation is private and belongs to the person that the result is for. */
  readonly isForAsker: boolean;
}

/** Where to report an undeliverable result: in its person's last active private conversation, else at home. */
export const fallbackConversation = async (
  { store, home, hasChannel }: FallbackDeps,
  tenant: string,
  { audience, tried }: UndeliverableResult,
): Promise<FallbackConversation | undefined> => {
  const isTried = (conversation: Surface["conversation"]) => tried.some((one) => sameRoom(one, conversation));
  const person = audience && (await askerOf(store, { tenant, audience }));
  const open = (person?.surfaces ?? []).filter(
    ({ channel, conversation }) =>
      audience !== undefined &&
      hasChannel(channel) &&
      !isTried(conversation) &&
      canSee({ audience }, conversation, person, () => true),
  );
  const surface = open.find(({ conversation }) => conversationKey(conversation) === person?.lastActive) ?? open.at(-1);
  if (audience !== undefined && person !== undefined && surface !== undefined) {
    const { conversation, accountId } = surface;
    const { id: personId, membership } = person;
    const receiver = { conversation, personId, accountId, membership };
    return { audience: withRequester(receiver, askingAccount(audience)), isForAsker: true };
  }
  const atHome = home && (await audienceAt(store, tenant, home, hasChannel));
  return atHome && !isTried(atHome.conversation) ? { audience: atHome, isForAsker: false } : undefined;
};

interface ReportDeps extends FallbackDeps {
  /** The locale of a channel, for readers whose own is unknown. */
  readonly localeOn?: (channel: string) => string | undefined;
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly checkpoint: Checkpoint;
}

/** The reply or the run that could not be delivered. */
type ReportCause = Pick<AgentReply, "id" | "tenant" | "agent" | "traceId">;

/**
 * Reports a result that cannot reach its target to its person elsewhere, else at the agent's home (P2): once a week per
 * schedule and target. Idempotent: a repeat after a crash publishes the same notice under the same id.
 */
export const reportUndeliverable = async (
  deps: ReportDeps,
  result: UndeliverableResult,
  cause: ReportCause,
): Promise<void> => {
  const { bus, store, clock, logger, checkpoint } = deps;
  const { id, tenant, agent, traceId } = cause;
  const decide = async () => {
    const fallback = await fallbackConversation(deps, tenant, result);
    if (fallback === undefined) {
      const what = result.id ?? result.kind;
      logger.error(
        { tenant, agent, what, traceId },
        "could not report an undeliverable result: no fallback conversation, set `home`",
      );
    }
    const viewer =
      fallback && (await viewerTimeIn(store, { tenant, audience: fallback.audience }, fallback.audience.conversation));
    const locale = viewer?.locale ?? deps.localeOn?.(fallback?.audience.conversation.channel ?? "");
    const markdown = undeliverableNotice(result, fallback?.isForAsker ?? false, textsFor(locale));
    return { cause: id, audience: fallback?.audience ?? null, markdown, at: isoTime(clock.now()) };
  };
  const record = await recordOnce(store, cause, result, decide);
  await checkpoint("undeliverable.settled");
  if (record.cause !== id || record.audience === null) return;
  await publishReply(bus, {
    id: `${id}/gone`,
    tenant,
    agent,
    sessionId: null,
    kind: "notice",
    markdown: record.markdown,
    origin: null,
    audience: record.audience,
    data: { [UNDELIVERABLE_FIELD]: result },
    mayRepeat: true,
    createdAt: record.at,
    traceId,
  });
  await checkpoint("undeliverable.published");
};

/** A report that was made. A second process repeats the same notice, or none. */
const ReportRecord = z.looseObject({
  /** The id of the undelivered reply or run. */
  cause: z.string(),
  /** The readers of the notice; null if there is no fallback conversation. */
  audience: Audience.nullable(),
  markdown: z.string(),
  at: z.iso.datetime(),
});
type ReportRecord = z.infer<typeof ReportRecord>;

/** A schedule that fails every minute is reported once in this time. */
const REPORT_EVERY_MS = 7 * 24 * 3_600_000;
const records = collection("gone-reports", ReportRecord, { ttlMs: REPORT_EVERY_MS });

const recordKey = ({ tenant, agent }: AgentRef, { id, title, tried }: UndeliverableResult) =>
  keyOf(records, tenant, agent, stableId("gone", id ?? title, ...tried.map(conversationKey)));

/** The first report about a schedule and target wins for a week. */
const recordOnce = async (
  store: Store,
  agent: AgentRef,
  result: UndeliverableResult,
  decide: () => Promise<ReportRecord>,
): Promise<ReportRecord> => {
  const key = recordKey(agent, result);
  const known = await store.get(key);
  if (known !== undefined) return known.value;
  return (await createOrRead(store, key, await decide())).value;
};
