import { z } from "zod";
import { isoTime } from "../contract/ports/clock.ts";
import { collection, keyOf, prefixOf } from "../contract/ports/store.ts";
import { newestFirst } from "../contract/ports/token.ts";
import { createOrRead, update } from "../contract/ports/update.ts";
import type { Texts } from "../contract/texts/texts.ts";
import { mayContinue, readRepliedTo } from "../delivery/index.ts";
import { cutAtGraphemes } from "../lib/index.ts";
import { readPlacedReply } from "../origin/index.ts";
import type { HistoryEntry } from "../sessions/index.ts";
import { finalIdOf } from "../turns/record/index.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

/** A message that a person has reported to the operators. */
export const Report = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  agent: z.string(),
  reporter: z.looseObject({ channel: z.string(), accountId: z.string(), name: z.string(), personId: z.string() }),
  /** The reported reply. */
  replyId: z.string(),
  /** The session whose history has the message. */
  sessionId: z.string(),
  at: z.iso.datetime(),
  /** The reporter's own words about it. */
  reason: z.string().optional(),
  /** The text of the message, if the reporter chose to include it (R4). */
  text: z.string().optional(),
});
export type Report = z.infer<typeof Report>;

const TTL_MS = 90 * 24 * 3_600_000;
const reports = collection("reports", Report, { ttlMs: TTL_MS });

export const reportKey = (tenant: string, id: string) => keyOf(reports, tenant, id);
export const reportsOf = (tenant: string) => prefixOf(reports, tenant);

/** Sorts the newest first; the same command and message always have the same id. */
const reportId = (at: number, turnId: string): string => `${newestFirst(at)}-${turnId}`;

const MAX_REASON_GRAPHEMES = 500;
const MAX_TEXT_CHARS = 20_000;

/**
 * Reports a message of the agent to the operators. They see who reported which message and why; they see its text only
 * if the reporter includes it (R4). No message carries a button for it: one on every answer would be noise.
 */
export const report: Command = {
  name: "report",
  needs: "talk",
  argument: "reason",
  usage: "report [reason]",
  privately: true,
  run(call) {
    const [verb = "", id = ""] = call.args.split(/\s+/);
    if (verb === "include" && ID.test(id)) return includeText(call, id);
    return verb === "about" && REPLY_ID.test(id) ? reportReply(call, id) : reportLast(call);
  },
};

/** The button that reports a message which the caller has just asked about. */
export const reportAction = (replyId: string, { report }: Texts) => ({
  name: "report",
  label: report.button,
  value: `about ${replyId}`,
});

const ID = /^[0-9A-Za-z]+-t-[0-9a-f-]+$/;
const REPLY_ID = /^\S{1,500}\/\S{1,100}$/;

interface Reported {
  readonly replyId: string;
  readonly sessionId: string;
}

const reportLast = async (call: CommandCall): Promise<CommandAnswer> => {
  const { deps, message, record } = call;
  const reason = cutAtGraphemes(call.args.replace(/\s+/g, " "), MAX_REASON_GRAPHEMES);
  const [posted] = await readRepliedTo(deps.store, message);
  if (posted?.sessionId && (await mayContinue(deps.store, posted, message))) {
    return save(call, { replyId: posted.replyId, sessionId: posted.sessionId }, reason);
  }
  const last = (await deps.history.window(record.sessionId)).entries.findLast(isAnswer);
  if (last === undefined) return { markdown: call.texts.report.nothing };
  return save(call, { replyId: replyIdOf(last), sessionId: record.sessionId }, reason);
};

const reportReply = async (call: CommandCall, replyId: string): Promise<CommandAnswer> => {
  const { deps, message } = call;
  const placed = await readPlacedReply(deps.store, { ...message, replyId });
  // A caller outside the audience gets the same answer as for an unknown message.
  if (!placed?.sessionId || !(await mayContinue(deps.store, placed, message)))
    return { markdown: call.texts.report.nothing };
  return save(call, { replyId, sessionId: placed.sessionId }, "");
};

const save = async (call: CommandCall, reported: Reported, reason: string): Promise<CommandAnswer> => {
  const { deps, message, record, texts } = call;
  const { tenant, agent, account, conversation } = message;
  // Of the command's record, so that a repeat after a crash writes the same report.
  const id = reportId(Date.parse(record.openedAt), record.turnId);
  const reporter = {
    channel: conversation.channel,
    accountId: account.id,
    name: account.name,
    personId: record.asker.personId,
  };
  const at = isoTime(Date.parse(record.openedAt));
  const { isNew } = await createOrRead(deps.store, reportKey(tenant, id), {
    ...{ id, tenant, agent, reporter, at, ...reported },
    ...(reason !== "" && { reason }),
  });
  if (isNew) {
    deps.meter.count("reports_total", { agent });
    deps.logger.info(
      { report: id, reply: reported.replyId, tenant, agent, traceId: record.traceId },
      "message reported",
    );
  }
  return {
    markdown: texts.report.reported,
    actions: [{ name: "report", label: texts.report.include, value: `include ${id}` }],
  };
};

/** Only the reporter may include the text. */
const includeText = async (call: CommandCall, id: string): Promise<CommandAnswer> => {
  const { deps, message, texts } = call;
  const { tenant, account, conversation } = message;
  const key = reportKey(tenant, id);
  const found = (await deps.store.get(key))?.value;
  const isOwn = found?.reporter.accountId === account.id && found.reporter.channel === conversation.channel;
  const text = found && isOwn ? await textOf(call, found) : undefined;
  if (text === undefined) return { markdown: texts.report.gone };
  await update(deps.store, key, (current) => (current?.text === undefined && current ? { ...current, text } : current));
  return { markdown: texts.report.included };
};

const textOf = async ({ deps }: CommandCall, { sessionId, replyId }: Report): Promise<string | undefined> => {
  const { entries } = await deps.history.window(sessionId);
  const entry = entries.find((each) => replyIdOf(each) === replyId);
  if (entry === undefined) return undefined;
  return (entry.kind === "said" ? entry.markdown : entry.finalText).slice(0, MAX_TEXT_CHARS);
};

const isAnswer = (entry: HistoryEntry): boolean =>
  entry.kind === "said" || (entry.finalText !== "" && entry.suppressed !== true);

const replyIdOf = (entry: HistoryEntry): string => (entry.kind === "said" ? entry.replyId : finalIdOf(entry.turnId));
