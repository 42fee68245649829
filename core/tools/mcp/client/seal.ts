import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Secret } from "../../../contract/secret.ts";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts what one record of the store holds. The key is derived from a secret that only the configuration has, so the
 * store alone reveals nothing, and text of one record does not open as that of another.
 */
export class Seal {
  readonly #id: Buffer;
  readonly #key: Buffer;

  constructor(secret: Secret, id: string, purpose: string) {
    this.#id = Buffer.from(id);
    this.#key = Buffer.from(hkdfSync("sha256", secret.reveal(), id, purpose, KEY_BYTES));
  }

  close(value: unknown): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv).setAAD(this.#id);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** Undefined if the secret has changed since, or if the text is damaged. */
  open(text: string): unknown {
    const bytes = Buffer.from(text, "base64url");
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV_BYTES))
        .setAAD(this.#id)
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const opened = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      return JSON.parse(opened.toString("utf8"));
    } catch {
      return undefined;
    }
  }
}
