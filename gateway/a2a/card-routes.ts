import { AGENT_CARD_PATH, AgentCard } from "@a2a-js/sdk";
import { A2A_LEGACY_PROTOCOL_VERSION } from "@a2a-js/sdk/compat/v0_3";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { agentPath } from "./agent-card.ts";
import { type CardSigner, KEYS_PATH } from "./card-signer.ts";
import { cardForEither, legacyCard } from "./legacy-card.ts";
import { versionOf } from "./request-context.ts";

const CACHED = "public, max-age=60";

export interface ServedHandler {
  readonly agent: string;
  readonly handler: A2ARequestHandler;
}

/** The agents' cards and what they are signed with, for anybody. The one at the well-known address is the first agent's. */
export const cardRoutes = (app: FastifyInstance, served: readonly ServedHandler[], keys: CardSigner["keys"]): void => {
  app.get(KEYS_PATH, async (_request, reply) => {
    reply.header("cache-control", CACHED).type("application/jwk-set+json");
    return JSON.stringify(keys);
  });
  const [first] = served;
  if (first) app.get(`/${AGENT_CARD_PATH}`.replace("//", "/"), answerCard(first.handler));
  for (const { agent, handler } of served) {
    app.get(`${agentPath(agent)}/${AGENT_CARD_PATH}`.replace("//", "/"), answerCard(handler));
  }
};

const answerCard = (handler: A2ARequestHandler) => async (request: FastifyRequest, reply: FastifyReply) => {
  const version = versionOf(request);
  reply.headers({ "cache-control": CACHED, vary: "A2A-Version" });
  reply.type("application/json");
  if (version === A2A_LEGACY_PROTOCOL_VERSION) return JSON.stringify(await legacyCard(handler));
  if (version === undefined) return JSON.stringify(await cardForEither(handler));
  return JSON.stringify(AgentCard.toJSON(await handler.getAgentCard()));
};
