import { randomUUID } from "node:crypto";
import type { JWK } from "jose";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** Making an RSA key takes a while; one pair does for all. */
const pair = generateKeyPair("RS256", { extractable: true });
const stranger = generateKeyPair("RS256", { extractable: true });

export interface TokenChanges {
  /** Undefined leaves a claim out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** With a key that Teams does not have. */
  readonly forged?: boolean;
}

/** Signs tokens as the Bot Framework does, and as those do who would like to be it. */
export class TokenMint {
  /** The name of its key. Another name is another key, to who knows keys by name. */
  kid: string = randomUUID();
  readonly issuer: string;
  endorsements: string[] = ["msteams"];
  /** Published beside its own, before it. */
  moreKeys: readonly unknown[] = [];

  constructor(issuer: string) {
    this.issuer = issuer;
  }

  async publicKeys(): Promise<{ keys: unknown[] }> {
    const key = await exportJWK((await pair).publicKey);
    const own = { ...key, kid: this.kid, use: "sig", x5t: this.kid, endorsements: this.endorsements };
    return { keys: [...this.moreKeys, own] };
  }

  /** The key that forged tokens are signed with, as if it were one of Teams'. */
  async strangersKey(): Promise<JWK & { endorsements: string[] }> {
    const key = await exportJWK((await stranger).publicKey);
    return { ...key, kid: this.kid, use: "sig", endorsements: ["msteams"] };
  }

  async token(claims: Readonly<Record<string, unknown>>, changes: TokenChanges = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: this.issuer, nbf: now - 60, exp: now + 3_600, ...claims, ...changes.claims };
    const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const header = { alg: "RS256", kid: this.kid, typ: "JWT", ...changes.header };
    const { privateKey } = await (changes.forged ? stranger : pair);
    const key = header.alg === "HS256" ? Buffer.from(JSON.stringify(await this.publicKeys())) : privateKey;
    return new SignJWT(kept).setProtectedHeader(header).sign(key);
  }
}
