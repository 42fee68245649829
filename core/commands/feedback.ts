import { z } from "zod";
import { sameConversation } from "../contract/messages/conversation.ts";
import { dayOf, isoTime } from "../contract/ports/clock.ts";
import { collection, keyOf, prefixOf } from "../contract/ports/store.ts";
import type { Meter } from "../contract/ports/telemetry.ts";
import { newestFirst } from "../contract/ports/token.ts";
import { update } from "../contract/ports/update.ts";
import { cutAtGraphemes, stableId } from "../lib/index.ts";
import { turnKeyById } from "../turns/record/index.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

/** A person's opinion of one answer. Operators read it; it has no text of the conversation (R4). */
export const Feedback = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  agent: z.string(),
  author: z.looseObject({ channel: z.string(), accountId: z.string(), name: z.string() }),
  replyId: z.string(),
  /** The session of the answer; operators read it only with a reason. */
  sessionId: z.string().optional(),
  rating: z.enum(["up", "down"]),
  /** The author's own words about it. */
  comment: z.string().optional(),
  at: z.iso.datetime(),
  /** The author took the rating back; kept until it expires, so that a late duplicate does not restore it. */
  withdrawn: z.boolean().optional(),
});
export type Feedback = z.infer<typeof Feedback>;

const DAY_MS = 24 * 3_600_000;
const TTL_DAYS = 90;
const feedbacks = collection("feedback", Feedback, { ttlMs: TTL_DAYS * DAY_MS });

/** The day is that of the answer, so that a list reads only the days that it shows. */
export const feedbackKey = (day: string, tenant: string, id: string) => keyOf(feedbacks, day, tenant, id);
/** Without a tenant: that of all tenants. The ids sort the newest answer first. */
export const feedbackOfDay = (day: string, tenant?: string) =>
  prefixOf(feedbacks, day, ...(tenant === undefined ? [] : [tenant]));

/** The days that may have feedback, the newest first: an answer can be rated for a week. */
export const feedbackDays = (now: number): string[] =>
  Array.from({ length: TTL_DAYS + 8 }, (_, index) => dayOf(now - index * DAY_MS));

const ARGS = /^(up|down|none)\s+(t-[0-9a-f-]{1,100})\/final(?:\/\d+)?(?:\s+([\s\S]+))?$/;
const MAX_COMMENT_GRAPHEMES = 1_000;

/** Rates an answer; a later rating of the same answer replaces it. Reached by the buttons of clients that have them. */
export const feedback: Command = {
  name: "feedback",
  needs: "talk",
  privately: true,
  async run(call) {
    const [, rating = "", turnId = "", comment = ""] = ARGS.exec(call.args) ?? [];
    if (rating === "" || !(await isOwnAnswer(call, turnId))) return { markdown: call.texts.feedback.unknown };
    return save(call, turnId, rating as "up" | "down" | "none", comment);
  },
};

/** A caller outside the audience gets the same answer as for an unknown one. */
const isOwnAnswer = async ({ deps: { store }, message }: CommandCall, turnId: string): Promise<boolean> => {
  const audience = (await store.get(turnKeyById(message, turnId)))?.value.audience;
  if (audience === undefined || !sameConversation(audience.conversation, message.conversation)) return false;
  return message.conversation.kind === "shared" || audience.accountId === message.account.id;
};

const save = async (
  { deps, message, record, texts }: CommandCall,
  turnId: string,
  rating: "up" | "down" | "none",
  comment: string,
): Promise<CommandAnswer> => {
  const { tenant, agent, account, conversation } = message;
  const { channel } = conversation;
  const turn = (await deps.store.get(turnKeyById(message, turnId)))?.value;
  const answeredAt = Date.parse(turn?.openedAt ?? record.openedAt);
  // One record per answer and author, the newest answer first.
  const id = `${newestFirst(answeredAt)}-${stableId("f", channel, account.id, turnId)}`;
  const words = cutAtGraphemes(comment.trim(), MAX_COMMENT_GRAPHEMES);
  const at = isoTime(Date.parse(record.openedAt));
  const { before, after } = await update(deps.store, feedbackKey(dayOf(answeredAt), tenant, id), (known) => {
    // Of the command's record: a repeat after a crash, or one that comes late, changes nothing.
    if (known !== undefined && known.at > at) return known;
    if (rating === "none") return known && { ...known, at, withdrawn: true };
    const author = { channel, accountId: account.id, name: account.name };
    return {
      id,
      tenant,
      agent,
      author,
      replyId: `${turnId}/final`,
      ...(turn && { sessionId: turn.sessionId }),
      rating,
      at,
      ...(words !== "" && { comment: words }),
    };
  });
  countChange(deps.meter, agent, ratingOf(before), ratingOf(after));
  deps.logger.info({ feedback: id, rating, tenant, agent, traceId: record.traceId }, "feedback stored");
  return { markdown: rating === "none" ? texts.feedback.removed : texts.feedback.thanks };
};

const ratingOf = (feedback: Feedback | undefined): Feedback["rating"] | undefined =>
  feedback?.withdrawn ? undefined : feedback?.rating;

const countChange = (
  meter: Meter,
  agent: string,
  before: Feedback["rating"] | undefined,
  after: Feedback["rating"] | undefined,
): void => {
  if (before === after) return;
  if (before !== undefined) meter.count("feedback_withdrawn_total", { agent, rating: before });
  if (after !== undefined) meter.count("feedback_total", { agent, rating: after });
};
