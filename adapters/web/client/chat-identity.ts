import type { ErrorCode } from "../protocol.ts";

export type TokenRefusal = Extract<ErrorCode, `token-${string}`>;

/** Who speaks: where tokens come from, and what is done when one is refused. */
export interface ChatIdentity {
  /** Undefined: somebody new. Rejects if it cannot be told now. */
  token(): Promise<string | undefined>;
  /** A welcome brought this one; `sent` is what it answers. False: somebody else is who we are; ask for it again. */
  welcomed(token: string, sent: string | undefined): boolean;
  /** What to do next: connect again as the same person, as somebody new, or let a person decide. */
  refused(code: TokenRefusal): "again" | "anew" | "ask";
  /** Forgets who it was. */
  forget(): void;
}
