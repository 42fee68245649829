import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { newestFirst } from "../../core/contract/newest-first.ts";
import type { TurnRecord } from "../../core/turns/turn-record.ts";
import { turnsOfAgent } from "../../core/turns/turn-record.ts";
import type { AdminParts } from "./admin-parts.ts";
import { checked } from "./checked.ts";
import type { ManagedAgent } from "./managed-agents.ts";
import { managedAgent, managedAgents } from "./managed-agents.ts";
import { PageQuery, pageOf } from "./page.ts";
import { shownAsker } from "./shown-work.ts";
import { shownTurn } from "./trace/shown-turn.ts";

const ListQuery = PageQuery.extend({ agent: z.string().optional() });
const TurnsQuery = PageQuery.extend({ agent: z.string() });

/** A session, as its turns of the last days tell of it. */
interface Session {
  latest: TurnRecord;
  firstAt: string;
  turns: number;
}

/** What the agents remember of their conversations. A first session has no record of its own: its turns have. */
export const sessionRoutes = (scope: FastifyInstance, { config, store }: AdminParts): void => {
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
        const turns: { key: string; value: ReturnType<typeof shownTurn> }[] = [];
        for await (const { value } of store.list(turnsOfAgent(place))) {
          if (value.sessionId !== sessionId) continue;
          turns.push({ key: `${value.openedAt} ${value.turnId}`, value: shownTurn(value) });
        }
        yield* turns.sort((one, other) => (one.key < other.key ? -1 : 1));
      },
    };
    return pageOf([source], page, (turn) => turn);
  });
};

/** The one that was used last comes first. */
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
