import { hash } from "node:crypto";

/** What is kept, and compared, instead of a secret. */
export const digestOf = (secret: string): Buffer => Buffer.from(hash("sha256", secret, "hex"), "hex");

/** Of a configured secret, which may be written as its digest already: `sha256:` and 64 hex digits. */
export const configuredDigest = (secret: string): Buffer => {
  const hex = /^sha256:([0-9a-f]{64})$/i.exec(secret)?.[1];
  return hex === undefined ? digestOf(secret) : Buffer.from(hex, "hex");
};
