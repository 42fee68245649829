import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { RevisionConflict } from "../../../core/contract/app-error.ts";
import { collection, keyOf } from "../../../core/contract/collection.ts";
import type { Store } from "../../../core/contract/store.ts";

export interface SigningKey {
  readonly key: Buffer;
  readonly id: string;
}

export const signingKeyOf = (key: Buffer): SigningKey => ({
  key,
  id: createHash("sha256").update("mooring-kid").update(key).digest("base64url").slice(0, 8),
});

const keys = collection("web-keys", z.looseObject({ key: z.base64url() }));

/** The configured key, or a random one that the first gateway stores for all. */
export const loadSigningKey = async (
  store: Store,
  channel: string,
  configured: string | undefined,
): Promise<SigningKey> => {
  if (configured !== undefined) return signingKeyOf(Buffer.from(configured));
  const at = keyOf(keys, channel);
  const stored = await store.get(at);
  if (stored) return signingKeyOf(Buffer.from(stored.value.key, "base64url"));
  const made = randomBytes(32);
  try {
    await store.put(at, { key: made.toString("base64url") }, { ifRevision: 0 });
    return signingKeyOf(made);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    return loadSigningKey(store, channel, configured);
  }
};
