import { randomUUID } from "node:crypto";
import type { JWK } from "jose";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** Shared by all tests, because generating an RSA key is slow. */
const pair = generateKeyPair("RS256", { extractable: true });
const forger = generateKeyPair("RS256", { extractable: true });

export interface TokenChanges {
  /** Undefined omits a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signs with a foreign key. */
  readonly forged?: boolean;
}

/** Signs genuine and forged tokens of the Bot Framework. */
export class TokenMint {
  /** Key id. Changing it simulates a new key. */
  kid: string = randomUUID();
  readonly issuer: string;
  endorsements: string[] = ["msteams"];
  /** Published before its own key. */
  moreKeys: readonly unknown[] = [];

  constructor(issuer: string) {
    this.issuer = issuer;
  }

  async publicKeys(): Promise<{ keys: unknown[] }> {
    const key = await exportJWK((await pair).publicKey);
    const own = { ...key, kid: this.kid, use: "sig", x5t: this.kid, endorsements: this.endorsements };
    return { keys: [...this.moreKeys, own] };
  }

  /** The key of forged tokens, in the form of a genuine one. */
  async forgersKey(): Promise<JWK & { endorsements: string[] }> {
    const key = await exportJWK((await forger).publicKey);
    return { ...key, kid: this.kid, use: "sig", endorsements: ["msteams"] };
  }

  async token(claims: Readonly<Record<string, unknown>>, changes: TokenChanges = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: this.issuer, nbf: now - 60, exp: now + 3_600, ...claims, ...changes.claims };
    const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const header = { alg: "RS256", kid: this.kid, typ: "JWT", ...changes.header };
    const { privateKey } = await (changes.forged ? forger : pair);
    const key = header.alg === "HS256" ? Buffer.from(JSON.stringify(await this.publicKeys())) : privateKey;
    return new SignJWT(present).setProtectedHeader(header).sign(key);
  }
}
