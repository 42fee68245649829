/**
 * One part of a subject or a key. Platform ids may hold ".", "*", ">" or spaces, which NATS reads as syntax;
 * "=" keeps encoded and plain ids apart, so that no two ids share a spelling.
 */
export const encodeToken = (raw: string): string => (/^[A-Za-z0-9_-]+$/.test(raw) ? raw : `=${toBase64Url(raw)}`);

export const decodeToken = (token: string): string => (token.startsWith("=") ? fromBase64Url(token.slice(1)) : token);

// UTF-16 code units, not UTF-8: a lone surrogate would otherwise become U+FFFD and two ids would share a spelling.
const toBase64Url = (raw: string): string => Buffer.from(raw, "utf16le").toString("base64url");
const fromBase64Url = (encoded: string): string => Buffer.from(encoded, "base64url").toString("utf16le");
