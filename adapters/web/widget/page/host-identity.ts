import type { ChatIdentity, TokenRefusal } from "../../client/chat-identity.ts";

/** A token that the page's server has signed, or what gets one. */
export type HostToken = string | (() => string | Promise<string>);

/** Whoever has signed in on the page. Nothing of it is kept: the page says it anew when it is loaded. */
export class HostIdentity implements ChatIdentity {
  readonly #source: HostToken;

  constructor(source: HostToken) {
    this.#source = source;
  }

  async token(): Promise<string | undefined> {
    return typeof this.#source === "function" ? this.#source() : this.#source;
  }

  welcomed(): boolean {
    return true;
  }

  /** Who can get a new token comes back with it; else the page must be asked. */
  refused(code: TokenRefusal): "again" | "ask" {
    return code === "token-expired" && typeof this.#source === "function" ? "again" : "ask";
  }

  forget(): void {}
}
