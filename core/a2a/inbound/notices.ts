import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { type AgentRef, INBOUND_CHANNEL, type NoticesDue } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { Audience } from "../../contract/messages/work-context.ts";
import { ack, type Bus, type Outcome } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import { audienceAt, type Destination, publishReply, textsForReaders } from "../../delivery/index.ts";
import { cutToBytes, stableId, summarisePrompt } from "../../lib/index.ts";
import { currentSession, type SessionHistory } from "../../sessions/index.ts";
import type { CoreDeps, RunningTurns } from "../../turns/index.ts";

/** A notice for people that came from the work for a calling agent (A10). */
export const Notice = z.looseObject({
  /** Deduplicates repeats. */
  id: z.string(),
  taskId: z.string(),
  /** "caller · skill". */
  title: z.string(),
  text: z.string(),
  at: z.iso.datetime(),
});
export type Notice = z.infer<typeof Notice>;

/** All notices of an agent for one place. `sending` is fixed before the post, so that every retry posts the same text. */
const NoticeRecord = z.looseObject({
  waiting: z.array(Notice),
  sending: z.array(Notice),
  /** Ids of the notices that were posted last. */
  sent: z.array(z.string()),
});
type NoticeRecord = z.infer<typeof NoticeRecord>;

const notices = collection("a2a-notices", NoticeRecord);

const EMPTY: NoticeRecord = { waiting: [], sending: [], sent: [] };

/** Resolves to the stored record; if `change` returns the same object, nothing is written. */
const changeNotices = async (
  store: Store,
  { tenant, agent, place }: NoticesDue,
  change: (record: NoticeRecord) => NoticeRecord,
): Promise<NoticeRecord> => {
  const key = place === undefined ? keyOf(notices, tenant, agent) : keyOf(notices, tenant, agent, place);
  const { after } = await update(store, key, change, { initial: EMPTY });
  return after;
};

const MAX_NOTICE_BYTES = 4_000;
/** Limit for one message. */
const MAX_NOTICES = 60;

/** Stores a notice until the people's conversation is idle (A10). Throws "too-large" if too many notices wait. */
export const addNotice = async (
  { bus, store }: { bus: Bus; store: Store },
  { tenant, agent, place }: AgentRef & NoticePlace,
  notice: Notice,
): Promise<void> => {
  const due: NoticesDue = { tenant, agent, ...(place !== undefined && { place }) };
  try {
    await changeNotices(store, due, (record) => (isKnown(record, notice.id) ? record : withNotice(record, notice)));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "too-large") throw error;
    throw new AppError("too-large", "Too many notices are waiting already: this one was not stored.");
  }
  const subject = subjectsOf(tenant).a2aNotices(agent);
  const key = place === undefined ? agent : `${agent}/${place}`;
  await bus.publish(subject, due, { id: `${agent}/${notice.id}`, key });
};

const isKnown = ({ waiting, sending, sent }: NoticeRecord, id: string): boolean =>
  sent.includes(id) || [...waiting, ...sending].some((known) => known.id === id);

const withNotice = (record: NoticeRecord, notice: Notice): NoticeRecord => ({
  ...record,
  waiting: [...record.waiting, { ...notice, text: cutToBytes(notice.text, MAX_NOTICE_BYTES) }],
});

/** More would not fit into one message, so the notices are posted without waiting for an idle moment. */
const isFull = ({ waiting }: Pick<NoticeRecord, "waiting">): boolean => waiting.length >= MAX_NOTICES;

export interface NoticeDeps extends CoreDeps {
  readonly history: SessionHistory;
  readonly turns: RunningTurns;
}

export interface NoticeRules {
  /** The destination of notices whose skill and caller have none. */
  readonly home?: Destination | undefined;
  /** Destinations of skills and callers, by their place. */
  readonly places?: Readonly<Record<string, Destination>>;
  /** Required idle time of the conversation before a post. */
  readonly idleMs: number;
}

/** A destination of the rules; without a place it is the agent's home. */
interface NoticePlace {
  readonly place?: string | undefined;
}

export const placeOfSkill = (skill: string): string => `skill/${skill}`;
export const placeOfCaller = (caller: string): string => `caller/${caller}`;

/** The place of notices about the work for a caller: of the skill, else of the caller, else the home. Undefined: none. */
export const noticePlaceFor = (
  { home, places = {} }: NoticeRules,
  { caller, skill }: { readonly caller: string; readonly skill?: string | undefined },
): NoticePlace | undefined => {
  const candidates = [...(skill === undefined ? [] : [placeOfSkill(skill)]), placeOfCaller(caller)];
  const place = candidates.find((each) => Object.hasOwn(places, each));
  if (place !== undefined) return { place };
  return home === undefined ? undefined : {};
};

/** Retry delay while the destination is unknown, because the person has not written to the agent in private yet. */
const UNKNOWN_DESTINATION_MS = 60_000;
const MAX_SENT_IDS = 500;

/** Posts the collected notices as one message once the conversation is idle (A10). */
export const handleNoticesDue = async (deps: NoticeDeps, due: NoticesDue, rules: NoticeRules): Promise<Outcome> => {
  const { store, checkpoint } = deps;
  const { waiting, sending } = await changeNotices(store, due, (record) => record);
  if (waiting.length + sending.length === 0) return ack;
  // A place that left the configuration is replaced by the home.
  const destination = rules.places?.[due.place ?? ""] ?? rules.home;
  const audience = destination && (await audienceAt(store, due.tenant, destination));
  if (audience === undefined) return { retryInMs: UNKNOWN_DESTINATION_MS };
  if (sending.length === 0) {
    const waitMs = await idleDelayMs(deps, due, audience, rules.idleMs);
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
const idleDelayMs = async (
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
  { bus, store, history, moderator }: NoticeDeps,
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
  const text = composeText(notices, titles.length > 1);
  const { channel, kind: conversation } = audience.conversation;
  const verdict = moderator?.checksAnswers
    ? await moderator.check(
        { kind: "answer", id, tenant, agent, channel, conversation, text },
        await textsForReaders(store, { tenant, audience }),
      )
    : ({ allowed: true } as const);
  const markdown = verdict.allowed ? text : verdict.text;
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
  await history.noteReply(shownIn, { kind: "said", replyId: id, at: latest, markdown, origin });
};

const composeText = (notices: readonly Notice[], isFromSeveral: boolean): string =>
  notices.map(({ title, text }) => (isFromSeveral ? `**${title}**\n\n${text}` : text)).join("\n\n---\n\n");
