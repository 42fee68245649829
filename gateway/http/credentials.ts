import { hash } from "node:crypto";

/** The SHA-256 digest that is stored and compared instead of a secret. */
export const digestOf = (secret: string): Buffer => Buffer.from(hash("sha256", secret, "hex"), "hex");

/** The digest of a configured secret, which may already be a digest: `sha256:` and 64 hex digits. */
export const configuredDigest = (secret: string): Buffer => {
  const hex = /^sha256:([0-9a-f]{64})$/i.exec(secret)?.[1];
  return hex === undefined ? digestOf(secret) : Buffer.from(hex, "hex");
};

/** Undefined without one; never an empty string. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
