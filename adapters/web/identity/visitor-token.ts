import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { SigningKey } from "./signing-key.ts";

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
});

/** The visitor that a token identifies. */
export interface Identity {
  readonly visitor: string;
  /** Display name from the host page. */
  readonly name?: string;
  /** When the host page's token expires, in milliseconds since 1970; absent for anonymous visitors. */
  readonly endsAt?: number;
}

export type TokenProblem = "token-invalid" | "token-expired" | "token-unknown" | "token-foreign";

/** `v1.<payload>.<hmac-sha256>`, both parts base64url. */
export const signVisitorToken = (
  signing: SigningKey,
  claims: Identity & { channel: string; expiresAt: number },
): string => {
  const { visitor: sub, channel: aud, expiresAt, name, endsAt } = claims;
  const exp = Math.floor(Math.min(expiresAt, endsAt ?? expiresAt) / 1_000);
  const end = endsAt === undefined ? undefined : Math.floor(endsAt / 1_000);
  const payload = { sub, exp, aud, kid: signing.id, name, end };
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
  const { sub: visitor, name, end } = claims;
  return { visitor, ...(name !== undefined && { name }), ...(end !== undefined && { endsAt: end * 1_000 }) };
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
