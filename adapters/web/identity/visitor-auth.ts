import type { Clock } from "../../../core/contract/ports/clock.ts";
import { readHostToken } from "./host-token.ts";
import type { SigningKey } from "./signing-key.ts";
import { newVisitorId } from "./visitor-id.ts";
import type { Identity, TokenProblem } from "./visitor-token.ts";
import { readVisitorToken, signVisitorToken } from "./visitor-token.ts";

export interface VisitorAuthDeps {
  readonly signing: SigningKey;
  /** Absent: host pages cannot identify their visitors. */
  readonly identityKey: Buffer | undefined;
  readonly channel: string;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Identifies a client by its own token or by the host page's token, or creates a new visitor. */
export class VisitorAuth {
  readonly #deps: VisitorAuthDeps;

  constructor(deps: VisitorAuthDeps) {
    this.#deps = deps;
  }

  identify(token: string | undefined): (Identity & { isNew: boolean }) | { problem: TokenProblem } {
    const { clock, newId } = this.#deps;
    if (token === undefined) return { visitor: newVisitorId(clock.now(), newId()), isNew: true };
    const read = this.#read(token);
    return "problem" in read ? read : { ...read, isNew: false };
  }

  issue(identity: Identity): string {
    const { signing, channel, clock } = this.#deps;
    return signVisitorToken(signing, { ...identity, channel, expiresAt: clock.now() + TOKEN_TTL_MS });
  }

  hasExpired({ endsAt }: Identity): boolean {
    return endsAt !== undefined && endsAt <= this.#deps.clock.now();
  }

  explain(problem: TokenProblem): string {
    return EXPLANATIONS[problem];
  }

  #read(token: string): Identity | { problem: TokenProblem } {
    const { signing, identityKey, channel, clock } = this.#deps;
    const expected = { channel, now: clock.now() };
    return token.startsWith("v1.") || identityKey === undefined
      ? readVisitorToken(signing, token, expected)
      : readHostToken(identityKey, token, expected);
  }
}

/** Each welcome renews the token. */
const TOKEN_TTL_MS = 90 * 24 * 3_600_000;

const EXPLANATIONS: Record<TokenProblem, string> = {
  "token-invalid": "the token is invalid; connect without it to start a new conversation",
  "token-expired": "the token has expired; connect with a new one, or without one to start a new conversation",
  "token-unknown":
    "the token was signed with a key that is no longer in use; connect without it to start a new conversation",
  "token-foreign": "the token was issued by another channel; use a token of this one",
};
