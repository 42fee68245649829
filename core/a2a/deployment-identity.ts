import { hash, randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { RevisionConflict } from "../contract/app-error.ts";
import { collection, keyOf } from "../contract/collection.ts";
import type { Secret } from "../contract/secret.ts";
import type { Store } from "../contract/store.ts";

/** What all processes of a deployment have in common towards other agents. */
export interface DeploymentIdentity {
  readonly id: string;
  /** 32 bytes that nobody else knows. */
  readonly key: Buffer;
}

const identities = collection("a2a-identity", z.looseObject({ id: z.string(), key: z.base64url() }));

/** Made once and shared through the store; the key is the configured one, if there is one. */
export const loadIdentity = async (store: Store, configured?: Secret): Promise<DeploymentIdentity> => {
  const at = keyOf(identities, "own");
  const stored = await store.get(at);
  if (stored !== undefined) {
    const { id, key } = stored.value;
    return { id, key: configured ? hash("sha256", configured.reveal(), "buffer") : Buffer.from(key, "base64url") };
  }
  try {
    await store.put(at, { id: randomUUID(), key: randomBytes(32).toString("base64url") }, { ifRevision: 0 });
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
  }
  return loadIdentity(store, configured);
};
