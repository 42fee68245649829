import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { visitorCreatedAt } from "./visitor-id.ts";
import type { Identity, TokenProblem } from "./visitor-token.ts";

const Header = z.looseObject({ alg: z.literal("HS256") });
const Claims = z.looseObject({
  sub: z.string().min(1).max(200),
  /** Seconds since 1970, as in every JWT. */
  exp: z.number(),
  nbf: z.number().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
  name: z.string().max(100).optional(),
});

/** Allowed clock skew between the host page's server and this one. */
const LEEWAY_MS = 60_000;

/**
 * Reads the JWT by which a page that embeds the widget identifies its visitor. Its server signs it with the channel's
 * `identityKey`. Only HS256 is accepted, regardless of the header.
 */
export const readHostToken = (
  key: Buffer,
  token: string,
  { channel, now }: { channel: string; now: number },
): Identity | { problem: TokenProblem } => {
  const [header, payload, mac, ...rest] = token.split(".");
  if (header === undefined || payload === undefined || mac === undefined || rest.length > 0) return invalid;
  if (!Header.safeParse(jsonIn(header)).success) return invalid;
  const given = Buffer.from(mac, "base64url");
  const right = createHmac("sha256", key).update(`${header}.${payload}`).digest();
  if (given.length !== right.length || !timingSafeEqual(given, right)) return invalid;
  const claims = Claims.safeParse(jsonIn(payload)).data;
  if (claims === undefined) return invalid;
  const { sub, exp, nbf = 0, aud = channel, name } = claims;
  // A `sub` in the form of an anonymous visitor id would open that visitor's conversation.
  if (visitorCreatedAt(sub) > 0 || nbf * 1_000 > now + LEEWAY_MS) return invalid;
  if (![aud].flat().includes(channel)) return { problem: "token-foreign" };
  const endsAt = exp * 1_000 + LEEWAY_MS;
  if (endsAt <= now) return { problem: "token-expired" };
  return { visitor: sub, endsAt, ...(name !== undefined && { name }) };
};

const invalid = { problem: "token-invalid" } as const;

const jsonIn = (part: string): unknown => {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return undefined;
  }
};
