import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { collection, keyOf, type Store } from "../../../core/contract/ports/store.ts";
import { createOrRead } from "../../../core/contract/ports/update.ts";

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
  const { value } = stored ?? (await createOrRead(store, at, { key: randomBytes(32).toString("base64url") }));
  return signingKeyOf(Buffer.from(value.key, "base64url"));
};
