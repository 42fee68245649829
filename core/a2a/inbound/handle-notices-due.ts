import type { NoticesDue } from "../../contract/messages/addresses.ts";
import { INBOUND_CHANNEL } from "../../contract/messages/addresses.ts";
import type { Audience } from "../../contract/messages/work-context.ts";
import { ack, type Outcome } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { audienceAt, type Destination, publishReply } from "../../delivery/index.ts";
import { stableId, summarisePrompt } from "../../lib/index.ts";
import { currentSession, type SessionHistory } from "../../sessions/index.ts";
import type { CoreDeps, RunningTurns } from "../../turns/index.ts";
import { changeNotices, isFull, MAX_NOTICES, type Notice } from "./notices.ts";

export interface NoticeDeps extends CoreDeps {
  readonly history: SessionHistory;
  readonly turns: RunningTurns;
}

export interface NoticeRules {
  /** Destination of the notices. */
  readonly home: Destination;
  /** Required idle time of the conversation before a post. */
  readonly idleMs: number;
}

/** Retry delay while the destination is unknown, because the person has not written to the agent in private yet. */
const UNKNOWN_DESTINATION_MS = 60_000;
const MAX_SENT_IDS = 500;

/** Posts the collected notices as one message once the conversation is idle (A10). */
export const handleNoticesDue = async (deps: NoticeDeps, due: NoticesDue, rules: NoticeRules): Promise<Outcome> => {
  const { store, checkpoint } = deps;
  const { waiting, sending } = await changeNotices(store, due, (record) => record);
  if (waiting.length + sending.length === 0) return ack;
  const audience = await audienceAt(store, due.tenant, rules.home);
  if (audience === undefined) return { retryInMs: UNKNOWN_DESTINATION_MS };
  if (sending.length === 0) {
    const waitMs = await untilIdle(deps, due, audience, rules.idleMs);
    if (waitMs > 0 && !isFull({ waiting })) return { retryInMs: waitMs };
  }
  const record = await changeNotices(store, due, (current) =>
    current.sending.length > 0
      ? current
      : { ...current, waiting: current.waiting.slice(MAX_NOTICES), sending: current.waiting.slice(0, MAX_NOTICES) },
  );
  await checkpoint("notices.fixed");
  await post(deps, due, audience, record.sending);
  await checkpoint("notices.published");
  const ids = new Set(record.sending.map(({ id }) => id));
  const rest = await changeNotices(store, due, (current) => ({
    ...current,
    sending: current.sending.filter(({ id }) => !ids.has(id)),
    sent: [...current.sent, ...ids].slice(-MAX_SENT_IDS),
  }));
  return rest.waiting.length > 0 ? { retryInMs: rules.idleMs } : ack;
};

/** Minimum delay in milliseconds; 0 if the conversation has been idle long enough and no turn is running. */
const untilIdle = async (
  { store, clock, history, turns }: NoticeDeps,
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

const post = async (
  { bus, store, history }: NoticeDeps,
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
