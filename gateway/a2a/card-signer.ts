import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from "node:crypto";
import type { AgentCard } from "@a2a-js/sdk";
import { generateAgentCardSignature } from "@a2a-js/sdk";
import { z } from "zod";
import { RevisionConflict } from "../../core/contract/app-error.ts";
import { collection, keyOf } from "../../core/contract/collection.ts";
import type { Store } from "../../core/contract/store.ts";

/** Where the keys are that cards are signed with. */
export const KEYS_PATH = "/.well-known/jwks.json";

export interface CardSigner {
  sign(card: AgentCard): Promise<AgentCard>;
  /** For whoever checks a signature, as a JWK set. */
  readonly keys: { readonly keys: readonly JsonWebKey[] };
}

const ALGORITHM = "ES256";
const keys = collection("a2a-keys", z.looseObject({ pem: z.string() }));

/** With a key that is made once and shared by every gateway through the store. */
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
  try {
    await store.put(at, { pem }, { ifRevision: 0 });
    return pem;
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    return loadKey(store);
  }
};
