import type { ErrorCode } from "../protocol.ts";
import type { KeptValues } from "./persistent-values.ts";

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

/** Whoever used this browser before: the gateway's own token, kept for all tabs of the page. */
export class AnonymousIdentity implements ChatIdentity {
  readonly #kept: KeptValues;

  constructor(kept: KeptValues) {
    this.#kept = kept;
  }

  async token(): Promise<string | undefined> {
    return this.#kept.get("token");
  }

  /** Tabs that were first opened at the same time agree on the visitor who was kept first. */
  welcomed(token: string, sent: string | undefined): boolean {
    if (sent === undefined && this.#kept.get("token") !== undefined) return false;
    this.#kept.set("token", token);
    return true;
  }

  refused(code: TokenRefusal): "anew" | "ask" {
    return code === "token-expired" || code === "token-unknown" ? "anew" : "ask";
  }

  forget(): void {
    this.#kept.set("token", undefined);
  }
}
