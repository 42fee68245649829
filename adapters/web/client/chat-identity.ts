import type { ErrorCode } from "../protocol.ts";
import type { PersistentValues } from "./persistent-values.ts";

export type TokenRefusal = Extract<ErrorCode, `token-${string}`>;

export const isTokenRefusal = (code: ErrorCode | undefined): code is TokenRefusal =>
  code?.startsWith("token-") === true;

/** Supplies the visitor's tokens and decides what happens when one is refused. */
export interface ChatIdentity {
  /** Undefined: a new visitor. Rejects if the token is temporarily unavailable. */
  token(): Promise<string | undefined>;
  /** Stores the token of a welcome; `sent` is the token that `hello` had. False: another tab stored a visitor first. */
  welcomed(token: string, sent: string | undefined): boolean;
  /** The next step: reconnect as the same visitor, as a new one, or let the person decide. */
  refused(code: TokenRefusal): "retry" | "start-over" | "ask";
  /** Deletes the stored token. */
  forget(): void;
}

/** A visitor without a host page's token: the gateway's own token, shared by all tabs. */
export class AnonymousIdentity implements ChatIdentity {
  readonly #values: PersistentValues;
  /** The token of a one-time link, until the gateway has answered it. */
  #linkToken: string | undefined;

  constructor(values: PersistentValues, linkToken?: string) {
    this.#values = values;
    this.#linkToken = linkToken;
  }

  async token(): Promise<string | undefined> {
    return this.#linkToken ?? this.#values.get("token");
  }

  /** Tabs that open at the same time agree on the visitor that was stored first. */
  welcomed(token: string, sent: string | undefined): boolean {
    if (sent === undefined && this.#values.get("token") !== undefined) return false;
    this.#linkToken = undefined;
    this.#values.set("token", token);
    return true;
  }

  refused(code: TokenRefusal): "retry" | "start-over" | "ask" {
    const hadLink = this.#linkToken !== undefined;
    this.#linkToken = undefined;
    // A browser that is the owner's already needs no link.
    if (hadLink && this.#values.get("token") !== undefined) return "retry";
    return code === "token-expired" || code === "token-unknown" ? "start-over" : "ask";
  }

  forget(): void {
    this.#values.set("token", undefined);
  }
}
