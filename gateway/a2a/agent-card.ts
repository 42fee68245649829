import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from "node:crypto";
import { A2A_PROTOCOL_VERSION, type AgentCard, type AgentSkill, generateAgentCardSignature } from "@a2a-js/sdk";
import { duplicateInterfacesForLegacy } from "@a2a-js/sdk/compat/v0_3";
import { z } from "zod";
import { REPLY_ORIGIN_EXTENSION } from "../../core/a2a/index.ts";
import { collection, keyOf } from "../../core/contract/ports/collection.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { createOrRead } from "../../core/contract/ports/update.ts";
import { VERSION } from "../version.ts";
import { type Caller, mayUse } from "./caller-check.ts";
import type { ServedAgent } from "./served-agent.ts";

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
export const KEYS_PATH = "/.well-known/jwks.json";

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
