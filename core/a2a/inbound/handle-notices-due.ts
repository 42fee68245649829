import type { Audience } from "../../contract/agent-reply.ts";
import type { Outcome } from "../../contract/bus.ts";
import { ack } from "../../contract/bus.ts";
import { isoTime } from "../../contract/clock.ts";
import { INBOUND_CHANNEL, type NoticesDue } from "../../contract/inbound-task.ts";
import { audienceAt, type Destination, publishReply } from "../../delivery/index.ts";
import { stableId, summarisePrompt } from "../../lib/index.ts";
import { currentSession, type SessionHistory } from "../../sessions/index.ts";
import type { CoreParts, RunningTurns } from "../../turns/index.ts";
import { isFull, MOST_TOLD } from "./add-notice.ts";
import type { Notice } from "./notice-record.ts";
import { changeNotices } from "./notice-record.ts";

export interface NoticeParts extends CoreParts {
  readonly history: SessionHistory;
  readonly turns: RunningTurns;
}

export interface NoticeRules {
  /** Where notices are told. */
  readonly home: Destination;
  /** How long nobody must have talked there before. */
  readonly idleMs: number;
}

/** The person it is for has not written to the agent in private yet. */
const NOBODY_YET_MS = 60_000;
const MOST_SENT = 500;

/** Tells the notices that have gathered as one message, once the conversation is quiet (A10). */
export const handleNoticesDue = async (parts: NoticeParts, due: NoticesDue, rules: NoticeRules): Promise<Outcome> => {
  const { store, checkpoint } = parts;
  const { waiting, sending } = await changeNotices(store, due, (record) => record);
  if (waiting.length + sending.length === 0) return ack;
  const audience = await audienceAt(store, due.tenant, rules.home);
  if (audience === undefined) return { retryInMs: NOBODY_YET_MS };
  if (sending.length === 0) {
    const waitMs = await untilQuiet(parts, due, audience, rules.idleMs);
    if (waitMs > 0 && !isFull({ waiting })) return { retryInMs: waitMs };
  }
  const record = await changeNotices(store, due, (current) =>
    current.sending.length > 0
      ? current
      : { ...current, waiting: current.waiting.slice(MOST_TOLD), sending: current.waiting.slice(0, MOST_TOLD) },
  );
  await checkpoint("notices.fixed");
  await tell(parts, due, audience, record.sending);
  await checkpoint("notices.published");
  const ids = new Set(record.sending.map(({ id }) => id));
  const rest = await changeNotices(store, due, (current) => ({
    ...current,
    sending: current.sending.filter(({ id }) => !ids.has(id)),
    sent: [...current.sent, ...ids].slice(-MOST_SENT),
  }));
  return rest.waiting.length > 0 ? { retryInMs: rules.idleMs } : ack;
};

/** Milliseconds to wait at least; 0: nobody has talked there for long enough, and no turn is under way. */
const untilQuiet = async (
  { store, clock, history, turns }: NoticeParts,
  { tenant, agent }: NoticesDue,
  { conversation }: Audience,
  idleMs: number,
): Promise<number> => {
  if (idleMs === 0) return 0;
  const ask = stableId("busy", tenant, agent, String(clock.monotonic()));
  if (await turns.isBusy({ tenant, agent }, conversation, ask)) return idleMs;
  const { entries } = await history.window(await currentSession(store, { tenant, agent, conversation }));
  const last = entries.findLast(({ kind }) => kind === "turn");
  return last === undefined ? 0 : Math.max(0, Date.parse(last.at) + idleMs - clock.now());
};

const tell = async (
  { bus, store, history }: NoticeParts,
  { tenant, agent }: NoticesDue,
  audience: Audience,
  notices: readonly Notice[],
): Promise<void> => {
  const id = stableId("notices", tenant, agent, ...notices.map((notice) => notice.id));
  const times = notices.map(({ at }) => Date.parse(at));
  const startedAt = isoTime(Math.min(...times));
  const latest = isoTime(Math.max(...times));
  const titles = [...new Set(notices.map(({ title }) => title))];
  const origin = {
    channel: INBOUND_CHANNEL,
    promptSummary: summarisePrompt(titles.join(", ")),
    startedAt,
    sessionId: null,
  };
  const markdown = composed(notices, titles.length > 1);
  await publishReply(bus, {
    id,
    tenant,
    agent,
    sessionId: null,
    kind: "final",
    markdown,
    origin,
    cause: {
      turnId: id,
      rootTurnId: id,
      asker: { personId: audience.personId ?? "", accountId: audience.accountId ?? "", name: titles[0] ?? "" },
      trigger: "inbound",
      steps: notices.map(({ taskId, title }) => ({ kind: "call", id: taskId, name: title })),
    },
    audience,
    mayRepeat: true,
    createdAt: latest,
    traceId: stableId("trace", id),
  });
  const shownIn = await currentSession(store, { tenant, agent, conversation: audience.conversation });
  await history.noteSaid(shownIn, { kind: "said", replyId: id, at: latest, markdown, origin });
};

const composed = (notices: readonly Notice[], isFromSeveral: boolean): string =>
  notices.map(({ title, text }) => (isFromSeveral ? `**${title}**\n\n${text}` : text)).join("\n\n---\n\n");
