import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { newestFirst } from "../../../core/contract/token.ts";
import { SessionHistory } from "../../../core/sessions/index.ts";
import type { TurnRecord } from "../../../core/turns/records/index.ts";
import { turnsOfAgent } from "../../../core/turns/records/index.ts";
import type { AdminDeps } from "../admin-request.ts";
import { checked } from "../admin-request.ts";
import type { ManagedAgent } from "../managed-agents.ts";
import { managedAgent, managedAgents } from "../managed-agents.ts";
import { PageQuery, pageOf } from "../page.ts";
import { shownAsker } from "../shown-work.ts";
import { readTurnEnd, shownTurn } from "../trace/turn-end.ts";

const ListQuery = PageQuery.extend({ agent: z.string().optional() });
const TurnsQuery = PageQuery.extend({ agent: z.string() });

/** A session, as derived from the turns that are still stored. */
interface Session {
  latest: TurnRecord;
  firstAt: string;
  turns: number;
}

/** Sessions and their turns. The first session of a conversation has no record of its own, so the turns are grouped. */
export const sessionRoutes = (scope: FastifyInstance, { config, store }: AdminDeps): void => {
  const sessionsOf = async (place: ManagedAgent): Promise<Map<string, Session>> => {
    const found = new Map<string, Session>();
    for await (const { value: turn } of store.list(turnsOfAgent(place))) {
      const known = found.get(turn.sessionId) ?? { latest: turn, firstAt: turn.openedAt, turns: 0 };
      known.turns++;
      if (turn.openedAt < known.firstAt) known.firstAt = turn.openedAt;
      if (turn.openedAt > known.latest.openedAt) known.latest = turn;
      found.set(turn.sessionId, known);
    }
    return found;
  };

  scope.get("/admin/api/sessions", async (request) => {
    const { agent, ...page } = checked(ListQuery, request.query);
    const sources = managedAgents(config, request, agent).map((place) => ({
      name: place.agent,
      async *list() {
        const sessions = [...(await sessionsOf(place)).values()];
        const keyed = sessions.map((session) => ({ key: keyOf(session), value: { place, session } }));
        yield* keyed.sort((one, other) => (one.key < other.key ? -1 : 1));
      },
    }));
    return pageOf(sources, page, ({ place, session }) => shownSession(place, session));
  });

  scope.get<{ Params: { sessionId: string } }>("/admin/api/sessions/:sessionId/turns", async (request) => {
    const { agent, ...page } = checked(TurnsQuery, request.query);
    const place = managedAgent(config, request, agent);
    const { sessionId } = request.params;
    const source = {
      name: sessionId,
      async *list() {
        const turns: { key: string; value: TurnRecord }[] = [];
        for await (const { value } of store.list(turnsOfAgent(place))) {
          if (value.sessionId !== sessionId) continue;
          turns.push({ key: `${value.openedAt} ${value.turnId}`, value });
        }
        yield* turns.sort((one, other) => (one.key < other.key ? -1 : 1));
      },
    };
    const history = new SessionHistory(store);
    return pageOf([source], page, async (turn) => shownTurn(turn, await readTurnEnd({ store, history }, place, turn)));
  });
};

/** Sorts the most recently used session first. */
const keyOf = ({ latest }: Session): string => `${newestFirst(Date.parse(latest.openedAt))} ${latest.sessionId}`;

const shownSession = ({ agent, tenant }: ManagedAgent, { latest, firstAt, turns }: Session) => ({
  sessionId: latest.sessionId,
  agent,
  tenant,
  kind: latest.standing.owner.ownerType === "agent" ? "conversation" : "background",
  conversation: latest.audience.conversation,
  asker: shownAsker(latest.asker),
  turns,
  firstAt,
  lastAt: latest.openedAt,
  lastSummary: latest.origin.promptSummary,
});
