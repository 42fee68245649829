import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from "node:crypto";
import {
  A2A_PROTOCOL_VERSION,
  AGENT_CARD_PATH,
  AgentCard,
  type AgentSkill,
  generateAgentCardSignature,
} from "@a2a-js/sdk";
import { A2A_LEGACY_PROTOCOL_VERSION, duplicateInterfacesForLegacy } from "@a2a-js/sdk/compat/v0_3";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { REPLY_ORIGIN_EXTENSION } from "../../core/a2a/index.ts";
import { collection, keyOf, type Store } from "../../core/contract/ports/store.ts";
import { createOrRead } from "../../core/contract/ports/update.ts";
import { VERSION } from "../version.ts";
import { type Caller, mayUse, type ServedAgent } from "./caller-check.ts";
import { versionOf } from "./request-context.ts";

export const agentPath = (agent: string): string => `/a2a/${agent}`;

const MODES = ["text/plain", "application/json"];

/** The public card of an agent. The card for an authenticated caller lists only the skills that it may use. */
export const agentCard = (agent: ServedAgent, publicUrl: string, caller?: Caller): AgentCard => {
  const url = `${publicUrl}${agentPath(agent.name)}`;
  const at = (protocolBinding: string) => ({
    url,
    protocolBinding,
    protocolVersion: A2A_PROTOCOL_VERSION,
    tenant: "",
  });
  const skills = agent.skills.filter(({ id }) => caller === undefined || mayUse(caller, id));
  return {
    name: agent.name,
    description: agent.description ?? `The agent "${agent.name}".`,
    supportedInterfaces: duplicateInterfacesForLegacy([at("JSONRPC"), at("HTTP+JSON")], ["JSONRPC"]),
    provider: undefined,
    version: VERSION,
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: true,
      extensions: [
        {
          uri: REPLY_ORIGIN_EXTENSION,
          description: "The number of hops of a piece of work between agents, and its origin.",
          required: false,
          params: undefined,
        },
      ],
    },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: "httpAuthSecurityScheme",
          value: { scheme: "Bearer", bearerFormat: "", description: "The token of a declared caller." },
        },
      },
      apiKey: {
        scheme: {
          $case: "apiKeySecurityScheme",
          value: { location: "header", name: "X-API-Key", description: "The key of a declared caller." },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }, { schemes: { apiKey: { list: [] } } }],
    defaultInputModes: MODES,
    defaultOutputModes: ["text/plain", "text/markdown"],
    skills: skills.map(skillOnCard),
    signatures: [],
  };
};

const skillOnCard = ({ id, name, description, tags, examples }: ServedAgent["skills"][number]): AgentSkill => ({
  id,
  name,
  description,
  tags: [...tags],
  examples: [...examples],
  inputModes: [],
  outputModes: [],
  securityRequirements: [],
});

/** Path of the public keys for card signatures. */
const KEYS_PATH = "/.well-known/jwks.json";

export interface CardSigner {
  sign(card: AgentCard): Promise<AgentCard>;
  /** Public keys as a JWK set. */
  readonly keys: { readonly keys: readonly JsonWebKey[] };
}

const ALGORITHM = "ES256";
const keys = collection("a2a-keys", z.looseObject({ pem: z.string() }));

/** Loads the signing key, which the first gateway creates and the store shares. */
export const loadCardSigner = async (store: Store, publicUrl: string): Promise<CardSigner> => {
  const pem = await loadKey(store);
  const { kty, crv, x, y } = createPublicKey(pem).export({ format: "jwk" });
  // RFC 7638: these members, in this order.
  const kid = createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
  const header = { alg: ALGORITHM, kid, typ: "JOSE", jku: `${publicUrl}${KEYS_PATH}` };
  return {
    sign: generateAgentCardSignature(createPrivateKey(pem), header),
    keys: { keys: [{ kty, crv, x, y, kid, alg: ALGORITHM, use: "sig" }] as JsonWebKey[] },
  };
};

const loadKey = async (store: Store): Promise<string> => {
  const at = keyOf(keys, "card");
  const stored = await store.get(at);
  if (stored !== undefined) return stored.value.pem;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return (await createOrRead(store, at, { pem })).value.pem;
};

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
