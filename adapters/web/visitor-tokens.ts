import type { Clock } from "../../core/contract/clock.ts";
import { newVisitor } from "./visitor.ts";
import type { SigningKey, TokenProblem } from "./visitor-token.ts";
import { readVisitorToken, signVisitorToken } from "./visitor-token.ts";

/** Who a client is: by its token, or somebody new. */
export class VisitorTokens {
  readonly #signing: SigningKey;
  readonly #channel: string;
  readonly #clock: Clock;
  readonly #newId: () => string;

  constructor(signing: SigningKey, channel: string, clock: Clock, newId: () => string) {
    this.#signing = signing;
    this.#channel = channel;
    this.#clock = clock;
    this.#newId = newId;
  }

  identify(token: string | undefined): { visitor: string; isNew: boolean } | { problem: TokenProblem } {
    if (token === undefined) return { visitor: newVisitor(this.#clock.now(), this.#newId()), isNew: true };
    const read = readVisitorToken(this.#signing, token, { channel: this.#channel, now: this.#clock.now() });
    return "problem" in read ? read : { visitor: read.visitor, isNew: false };
  }

  issue(visitor: string): string {
    const expiresAt = this.#clock.now() + TOKEN_LIFE_MS;
    return signVisitorToken(this.#signing, { visitor, channel: this.#channel, expiresAt });
  }

  explain(problem: TokenProblem): string {
    return EXPLAINED[problem];
  }
}

/** Renewed with every welcome. */
const TOKEN_LIFE_MS = 90 * 24 * 3_600_000;

const EXPLAINED: Record<TokenProblem, string> = {
  "token-invalid": "the token is not one of ours; connect without it to begin anew",
  "token-expired": "the token has expired; connect without it to begin anew",
  "token-unknown": "the token was signed with a key that is no longer in use; connect without it to begin anew",
  "token-foreign": "the token belongs to another channel; use the token of this one",
};
