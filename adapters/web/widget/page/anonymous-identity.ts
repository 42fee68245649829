import type { ChatIdentity, TokenRefusal } from "../../client/chat-identity.ts";
import type { KeptValues } from "../../client/kept-values.ts";

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
