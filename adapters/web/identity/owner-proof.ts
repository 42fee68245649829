import { createHash, createHmac, timingSafeEqual } from "node:crypto";

const PREFIX = "owner.";
/** Longer than a connection attempt and the usual clock skew on one machine; a stolen proof is useless after that. */
const PROOF_TTL_MS = 60_000;

/**
 * A token that proves knowledge of the owner secret for a minute: `owner.<expiry in ms>.<hmac-sha256>`. The secret itself
 * is not sent, because another program may listen at the gateway's address.
 */
export const ownerProof = (secret: Buffer, channel: string, now: number): string => {
  const expiresAt = now + PROOF_TTL_MS;
  return `${PREFIX}${expiresAt}.${macOf(secret, channel, expiresAt).toString("base64url")}`;
};

export const isOwnerProof = (token: string): boolean => token.startsWith(PREFIX);

export const checkOwnerProof = (secret: Buffer, channel: string, token: string, now: number): boolean => {
  const [, expiry = "", mac = ""] = /^owner\.(\d{1,16})\.([\w-]{43})$/.exec(token) ?? [];
  const expiresAt = Number(expiry);
  const given = Buffer.from(mac, "base64url");
  const right = macOf(secret, channel, expiresAt);
  const isRight = given.length === right.length && timingSafeEqual(given, right);
  return isRight && expiresAt > now && expiresAt <= now + 2 * PROOF_TTL_MS;
};

const macOf = (secret: Buffer, channel: string, expiresAt: number): Buffer =>
  createHmac("sha256", secret).update(`mooring-owner-proof ${channel} ${expiresAt}`).digest();

/** Marks the owner's tokens: a new secret makes them invalid. */
export const secretFingerprint = (secret: Buffer): string =>
  createHash("sha256").update("mooring-owner").update(secret).digest("base64url").slice(0, 16);

/** The code and the browser of a token from a one-time link, `owner-link.<code>.<browser>`. */
export const readOwnerLink = (token: string): { readonly code: string; readonly browser: string } | undefined => {
  const [, code, browser] = /^owner-link\.([\w-]{20,100})\.([\w-]{16,100})$/.exec(token) ?? [];
  return code === undefined || browser === undefined ? undefined : { code, browser };
};
