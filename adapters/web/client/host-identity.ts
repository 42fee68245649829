import type { ChatIdentity, TokenRefusal } from "./chat-identity.ts";

/** A token that the page's server has signed, or a function that fetches one. */
export type HostToken = string | (() => string | Promise<string>);

/** A visitor who is signed in on the page. Nothing is stored: the page supplies the token on every load. */
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

  /** A token function can supply a fresh token; a fixed token cannot be renewed. */
  refused(code: TokenRefusal): "retry" | "ask" {
    return code === "token-expired" && typeof this.#source === "function" ? "retry" : "ask";
  }

  forget(): void {}
}
