import type { Clock } from "../../../core/contract/clock.ts";
import { readHostToken } from "./host-token.ts";
import type { SigningKey } from "./signing-key.ts";
import { newVisitor } from "./visitor-id.ts";
import type { Identity, TokenProblem } from "./visitor-token.ts";
import { readVisitorToken, signVisitorToken } from "./visitor-token.ts";

export interface TokenParts {
  readonly signing: SigningKey;
  /** Absent: no page may say who its visitor is. */
  readonly identityKey: Buffer | undefined;
  readonly channel: string;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Who a client is: by its token, by the word of the page it is on, or somebody new. */
export class VisitorTokens {
  readonly #parts: TokenParts;

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  identify(token: string | undefined): (Identity & { isNew: boolean }) | { problem: TokenProblem } {
    const { clock, newId } = this.#parts;
    if (token === undefined) return { visitor: newVisitor(clock.now(), newId()), isNew: true };
    const read = this.#read(token);
    return "problem" in read ? read : { ...read, isNew: false };
  }

  issue(identity: Identity): string {
    const { signing, channel, clock } = this.#parts;
    return signVisitorToken(signing, { ...identity, channel, expiresAt: clock.now() + TOKEN_LIFE_MS });
  }

  hasEnded({ endsAt }: Identity): boolean {
    return endsAt !== undefined && endsAt <= this.#parts.clock.now();
  }

  explain(problem: TokenProblem): string {
    return EXPLAINED[problem];
  }

  #read(token: string): Identity | { problem: TokenProblem } {
    const { signing, identityKey, channel, clock } = this.#parts;
    const expected = { channel, now: clock.now() };
    return token.startsWith("v1.") || identityKey === undefined
      ? readVisitorToken(signing, token, expected)
      : readHostToken(identityKey, token, expected);
  }
}

/** Renewed with every welcome. */
const TOKEN_LIFE_MS = 90 * 24 * 3_600_000;

const EXPLAINED: Record<TokenProblem, string> = {
  "token-invalid": "the token is not one of ours; connect without it to begin anew",
  "token-expired": "the token has expired; connect with a new one, or without one to begin anew",
  "token-unknown": "the token was signed with a key that is no longer in use; connect without it to begin anew",
  "token-foreign": "the token belongs to another channel; use the token of this one",
};
