import type { FastifyInstance } from "fastify";
import type { AgentRef } from "../../../core/contract/messages/addresses.ts";
import { newestFirst } from "../../../core/contract/ports/token.ts";
import { SessionHistory } from "../../../core/sessions/index.ts";
import { type TurnRecord, turnsOfAgent } from "../../../core/turns/record/index.ts";
import { requests, type Session as ShownSession } from "../../admin-api/index.ts";
import type { AdminDeps } from "../admin-request.ts";
import { adminRoute, checked } from "../admin-request.ts";
import { managedAgent, managedAgents } from "../managed-resources.ts";
import { pageOf } from "../page.ts";
import { readTurnEnd, shownAsker, shownTurn } from "../shown-work.ts";

/** A session, derived from its stored turns. */
interface Session {
  latest: TurnRecord;
  firstAt: string;
  turns: number;
}

/** Sessions and their turns. The first session of a conversation has no record of its own, so the turns are grouped. */
export const sessionRoutes = (scope: FastifyInstance, { config, store }: AdminDeps): void => {
  const sessionsOf = async (agentRef: AgentRef): Promise<Map<string, Session>> => {
    const found = new Map<string, Session>();
    for await (const { value: turn } of store.list(turnsOfAgent(agentRef))) {
      const known = found.get(turn.sessionId) ?? { latest: turn, firstAt: turn.openedAt, turns: 0 };
      known.turns++;
      if (turn.openedAt < known.firstAt) known.firstAt = turn.openedAt;
      if (turn.openedAt > known.latest.openedAt) known.latest = turn;
      found.set(turn.sessionId, known);
    }
    return found;
  };

  adminRoute(scope, "GET sessions", async (request) => {
    const { agent, ...page } = checked(requests["GET sessions"], request.query);
    const sources = managedAgents(config, request, agent).map((agentRef) => ({
      name: agentRef.agent,
      async *list() {
        const sessions = [...(await sessionsOf(agentRef)).values()];
        const keyed = sessions.map((session) => ({ key: keyOf(session), value: { agentRef, session } }));
        yield* keyed.sort((one, other) => (one.key < other.key ? -1 : 1));
      },
    }));
    return pageOf(sources, page, ({ agentRef, session }) => shownSession(agentRef, session));
  });

  adminRoute(scope, "GET sessions/:sessionId/turns", async (request) => {
    const { agent, ...page } = checked(requests["GET sessions/:sessionId/turns"], request.query);
    const agentRef = managedAgent(config, request, agent);
    const { sessionId } = request.params;
    const source = {
      name: sessionId,
      async *list() {
        const turns: { key: string; value: TurnRecord }[] = [];
        for await (const { value } of store.list(turnsOfAgent(agentRef))) {
          if (value.sessionId !== sessionId) continue;
          turns.push({ key: `${value.openedAt} ${value.turnId}`, value });
        }
        yield* turns.sort((one, other) => (one.key < other.key ? -1 : 1));
      },
    };
    const history = new SessionHistory(store);
    return pageOf([source], page, async (turn) =>
      shownTurn(turn, await readTurnEnd({ store, history }, agentRef, turn)),
    );
  });
};

/** Sorts the most recently used session first. */
const keyOf = ({ latest }: Session): string => `${newestFirst(Date.parse(latest.openedAt))} ${latest.sessionId}`;

const shownSession = ({ agent, tenant }: AgentRef, { latest, firstAt, turns }: Session): ShownSession => ({
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
