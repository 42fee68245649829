import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { collection, keyOf, type Store } from "../../../core/contract/ports/store.ts";
import { createOrRead } from "../../../core/contract/ports/update.ts";

const Claims = z.looseObject({
  /** Visitor id. */
  sub: z.string().min(1).max(200),
  /** Seconds since 1970. */
  exp: z.number(),
  /** Channel that issued the token. */
  aud: z.string(),
  /** Id of the signing key; distinguishes a token of a replaced key from a forged one. */
  kid: z.string(),
  /** Display name from the host page. */
  name: z.string().optional(),
  /** Seconds since 1970; a renewal never outlives the host page's token. */
  end: z.number().optional(),
  /** The fingerprint of the owner secret; present for the owner of a personal deployment. */
  own: z.string().optional(),
});

/** The visitor that a token identifies. */
export interface Identity {
  readonly visitor: string;
  /** Display name from the host page. */
  readonly name?: string;
  /** When the host page's token expires, in milliseconds since 1970; absent for anonymous visitors. */
  readonly endsAt?: number;
  /** The fingerprint of the owner secret, for the owner of a personal deployment. */
  readonly ownerKey?: string;
}

/** Neither a host page nor the owner secret says who the visitor is. */
export const isAnonymous = ({ endsAt, ownerKey }: Identity): boolean => endsAt === undefined && ownerKey === undefined;

export type TokenProblem =
  | "token-invalid"
  | "token-expired"
  | "token-unknown"
  | "token-foreign"
  | "token-not-owner"
  | "token-link-used";

/** `v1.<payload>.<hmac-sha256>`, both parts base64url. */
export const signVisitorToken = (
  signing: SigningKey,
  claims: Identity & { channel: string; expiresAt: number },
): string => {
  const { visitor: sub, channel: aud, expiresAt, name, endsAt, ownerKey: own } = claims;
  const exp = Math.floor(Math.min(expiresAt, endsAt ?? expiresAt) / 1_000);
  const end = endsAt === undefined ? undefined : Math.floor(endsAt / 1_000);
  const payload = { sub, exp, aud, kid: signing.id, name, end, own };
  const signed = `v1.${Buffer.from(JSON.stringify(payload)).toString("base64url")}`;
  return `${signed}.${macOf(signing, signed).toString("base64url")}`;
};

export const readVisitorToken = (
  signing: SigningKey,
  token: string,
  expected: { channel: string; now: number },
): Identity | { problem: TokenProblem } => {
  const [version, payload, mac, ...rest] = token.split(".");
  if (version !== "v1" || payload === undefined || mac === undefined || rest.length > 0) return invalid;
  const claims = claimsIn(payload);
  if (claims === undefined) return invalid;
  if (claims.kid !== signing.id) return { problem: "token-unknown" };
  const given = Buffer.from(mac, "base64url");
  const right = macOf(signing, `v1.${payload}`);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return invalid;
  if (claims.aud !== expected.channel) return { problem: "token-foreign" };
  if (claims.exp * 1_000 <= expected.now) return { problem: "token-expired" };
  const { sub: visitor, name, end, own } = claims;
  return {
    visitor,
    ...(name !== undefined && { name }),
    ...(end !== undefined && { endsAt: end * 1_000 }),
    ...(own !== undefined && { ownerKey: own }),
  };
};

const invalid = { problem: "token-invalid" } as const;

const macOf = (signing: SigningKey, signed: string): Buffer =>
  createHmac("sha256", signing.key).update(signed).digest();

const claimsIn = (payload: string): z.infer<typeof Claims> | undefined => {
  try {
    return Claims.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString())).data;
  } catch {
    return undefined;
  }
};

/** A visitor id contains its creation time: the visitor's log has no older entries. */
export const newVisitorId = (now: number, unique: string): string => ["v", now.toString(36), "-", unique].join("");

/** The earliest time of an entry in the visitor's log; 0 for ids of host pages, which contain no time. */
export const visitorCreatedAt = (visitor: string): number => {
  const made = /^v([0-9a-z]{1,9})-/.exec(visitor)?.[1];
  return made === undefined ? 0 : Number.parseInt(made, 36);
};

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
