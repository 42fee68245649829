import { AGENT_CARD_PATH, AgentCard } from "@a2a-js/sdk";
import { A2A_LEGACY_PROTOCOL_VERSION } from "@a2a-js/sdk/compat/v0_3";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { agentPath, type CardSigner, KEYS_PATH } from "../agent-card.ts";
import { versionOf } from "../request-context.ts";

const CACHED = "public, max-age=60";

export interface ServedHandler {
  readonly agent: string;
  readonly handler: A2ARequestHandler;
}

/** Public routes for the agents' cards and signature keys. The well-known address serves the first agent's card. */
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

const Skill = z.looseObject({ id: z.string(), tags: z.array(z.string()).default([]) });

/** The fields that 0.3 requires and the SDK leaves out when they are empty. */
const CardFields = z.looseObject({
  skills: z.array(Skill).default([]),
  securitySchemes: z.record(z.string(), z.looseObject({})).default({}),
});

/**
 * A card in the form of 0.3. The SDK converts cards only in its answer to a request for the extended card.
 * It has no signatures, because they cover the form of 1.0.
 */
const legacyCard = async (handler: A2ARequestHandler): Promise<z.infer<typeof CardFields>> => {
  const unsigned = async () => ({ ...(await handler.getAgentCard()), signatures: [] });
  const open = { ...handler, getAuthenticatedExtendedAgentCard: unsigned };
  const request = { jsonrpc: "2.0", id: 1, method: "agent/getAuthenticatedExtendedCard" };
  const answer = await new LegacyJsonRpcTransportHandler(open).handle(request, new ServerCallContext());
  return { ...CardFields.parse("result" in answer ? answer.result : undefined), protocolVersion: "0.3.0" };
};

/**
 * A card with every field of both forms, which clients of 0.3 and of 1.0 can read. Clients of 0.3 send no version, nor
 * do browsers and some clients of 1.0. Clients ignore the fields of the other form, also in security schemes.
 */
const cardForEither = async (handler: A2ARequestHandler): Promise<object> => {
  const old = await legacyCard(handler);
  // Not JSON.stringify(card): the in-memory form of a security scheme differs from the wire form.
  const current = CardFields.parse(AgentCard.toJSON(await handler.getAgentCard()));
  const schemes = Object.entries(current.securitySchemes);
  return {
    ...old,
    ...current,
    skills: current.skills.map((skill) => ({ ...old.skills.find(({ id }) => id === skill.id), ...skill })),
    securitySchemes: Object.fromEntries(schemes.map(([id, scheme]) => [id, { ...old.securitySchemes[id], ...scheme }])),
  };
};
