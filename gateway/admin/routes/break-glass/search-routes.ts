import type { FastifyInstance } from "fastify";
import type { AgentRef } from "../../../../core/contract/messages/addresses.ts";
import { otelTraceId } from "../../../../core/lib/index.ts";
import { type PersonRecord, peopleOf, readPerson } from "../../../../core/people/index.ts";
import { type HistoryEntry, SessionHistory } from "../../../../core/sessions/index.ts";
import { finalIdOf, type TurnRecord, turnsOfAgent } from "../../../../core/turns/record/index.ts";
import { type AnswerTo, requests } from "../../../admin-api/index.ts";
import { type AdminDeps, adminRoute, checked } from "../../admin-request.ts";
import { auditDetail } from "../../audit.ts";
import { managedAgents, managedTenants } from "../../managed-resources.ts";
import { refOf } from "../../page.ts";
import { shownAsker } from "../../shown-work.ts";

type Found = AnswerTo<"GET search">;
type FoundSession = Found["sessions"][number];

const MAX_RESULTS = 20;
/** A search in words reads the histories of the newest sessions, and of each its last entries. */
const MAX_SEARCHED_SESSIONS = 300;
const MAX_SEARCHED_ENTRIES = 200;

/** Finds people, sessions and messages by ids, names and summaries, and with a reason also by private words (R4). */
export const searchRoutes = (scope: FastifyInstance, { config, store }: AdminDeps): void => {
  const history = new SessionHistory(store);

  const turnsIn = async (agents: readonly AgentRef[]): Promise<{ agentRef: AgentRef; turn: TurnRecord }[]> => {
    const found: { agentRef: AgentRef; turn: TurnRecord }[] = [];
    for (const agentRef of agents) {
      for await (const { value: turn } of store.list(turnsOfAgent(agentRef))) found.push({ agentRef, turn });
    }
    return found.sort((one, other) => (one.turn.openedAt > other.turn.openedAt ? -1 : 1));
  };

  const peopleWith = async (matches: Matches, tenants: readonly string[]): Promise<Found["people"]> => {
    const people: Found["people"][number][] = [];
    for (const tenant of tenants) {
      for await (const { value } of store.list(peopleOf(tenant))) {
        const person = (await readPerson(store, tenant, value.id))?.person;
        if (person === undefined || person.accounts.length === 0 || !matches(textsOfPerson(person))) continue;
        people.push(shownPerson(person));
        if (people.length === MAX_RESULTS) return people;
      }
    }
    return people;
  };

  adminRoute(scope, "GET search", async (request) => {
    const { q, agent } = checked(requests["GET search"], request.query);
    const matches = matcher(q);
    const turns = await turnsIn(managedAgents(config, request, agent));
    const sessions = newestOfEach(turns).filter(({ turn }) => matches(textsOfSession(turn)));
    const messages = turns.filter(({ turn }) => matches(textsOfTurn(turn)));
    return {
      people: await peopleWith(matches, managedTenants(config, request)),
      sessions: sessions.slice(0, MAX_RESULTS).map(shownSession),
      messages: messages.slice(0, MAX_RESULTS).map(shownMessage),
      isCut: sessions.length > MAX_RESULTS || messages.length > MAX_RESULTS,
    };
  });

  adminRoute(scope, "POST search/words", async (request) => {
    const { words, reason, agent } = checked(requests["POST search/words"], request.body);
    // The words may be private, so the audit log has only the reason.
    await auditDetail({ store }, request, { reason, ...(agent !== undefined && { agent }) });
    const matches = matcher(words);
    const sessions = newestOfEach(await turnsIn(managedAgents(config, request, agent)));
    const searched = sessions.slice(0, MAX_SEARCHED_SESSIONS);
    const found: FoundSession[] = [];
    for (const session of searched) {
      const entries = await history.recent(session.turn.sessionId, MAX_SEARCHED_ENTRIES);
      if (entries.some((entry) => matches(wordsOf(entry)))) found.push(shownSession(session));
      if (found.length === MAX_RESULTS) break;
    }
    return { sessions: found, searched: searched.length, isCut: sessions.length > searched.length };
  });
};

type Matches = (texts: readonly (string | undefined)[]) => boolean;

/** Every word must occur in one of the texts. */
const matcher = (query: string): Matches => {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (texts) => {
    const all = texts.map((text) => text?.toLowerCase() ?? "");
    return terms.every((term) => all.some((text) => text.includes(term)));
  };
};

interface TurnOf {
  readonly agentRef: AgentRef;
  readonly turn: TurnRecord;
}

/** The turns are sorted, the newest first. */
const newestOfEach = (turns: readonly TurnOf[]): TurnOf[] => {
  const seen = new Set<string>();
  return turns.filter(({ turn: { sessionId } }) => !seen.has(sessionId) && seen.add(sessionId));
};

const textsOfPerson = ({ id, name, accounts }: PersonRecord): (string | undefined)[] => [
  id,
  name,
  ...accounts.flatMap((account) => [account.accountId, account.name, account.channel]),
];

const textsOfSession = ({ sessionId, audience, asker, origin }: TurnRecord): (string | undefined)[] => {
  const { channel, workspace, room, thread } = audience.conversation;
  return [
    sessionId,
    channel,
    workspace,
    room,
    thread,
    asker.name,
    asker.accountId,
    asker.personId,
    origin.promptSummary,
  ];
};

const textsOfTurn = ({ turnId, messageId, traceId, origin }: TurnRecord): (string | undefined)[] => [
  finalIdOf(turnId),
  messageId,
  traceId,
  otelTraceId(traceId),
  origin.promptSummary,
];

const wordsOf = (entry: HistoryEntry): string[] =>
  entry.kind === "said" ? [entry.markdown] : [entry.text, entry.finalText];

const shownPerson = ({ tenant, id, name, accounts }: PersonRecord): Found["people"][number] => ({
  ref: refOf(tenant, id),
  id,
  tenant,
  ...(name !== undefined && { name }),
  accounts: accounts.map(({ channel, accountId, name: accountName }) => ({ channel, accountId, name: accountName })),
});

const shownSession = ({ agentRef, turn }: TurnOf): FoundSession => ({
  sessionId: turn.sessionId,
  ...agentRef,
  conversation: turn.audience.conversation,
  asker: shownAsker(turn.asker),
  lastAt: turn.openedAt,
  lastSummary: turn.origin.promptSummary,
});

const shownMessage = ({ agentRef, turn }: TurnOf): Found["messages"][number] => ({
  ...agentRef,
  turnId: turn.turnId,
  messageId: turn.messageId ?? turn.turnId,
  sessionId: turn.sessionId,
  at: turn.openedAt,
  summary: turn.origin.promptSummary,
});
