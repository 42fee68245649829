import { z } from "zod";

/**
 * Encodes one part of a subject or a key. Platform ids may hold ".", "*", ">" or spaces, which NATS reads as syntax;
 * "=" marks encoded ids, so that no two ids have the same encoding.
 */
export const encodeToken = (raw: string): string => (/^[A-Za-z0-9_-]+$/.test(raw) ? raw : `=${toBase64Url(raw)}`);

export const decodeToken = (token: string): string => (token.startsWith("=") ? fromBase64Url(token.slice(1)) : token);

// UTF-16 code units, not UTF-8: a lone surrogate would otherwise become U+FFFD, and two ids could have the same encoding.
const toBase64Url = (raw: string): string => Buffer.from(raw, "utf16le").toString("base64url");
const fromBase64Url = (encoded: string): string => Buffer.from(encoded, "base64url").toString("utf16le");

/** Encodes a time so that later ones sort first, for keys of lists that are read from the newest entry. */
export const newestFirst = (ms: number): string => (LAST_TIME - ms).toString(36).padStart(9, "0");

const LAST_TIME = 36 ** 9 - 1;

/** The name of an agent, a channel or a tenant. It is part of addresses, subjects and keys, so its alphabet is small. */
export const Name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/, {
    error: 'must be lower-case letters, digits and "-", and begin with a letter or digit',
  })
  .max(40);
