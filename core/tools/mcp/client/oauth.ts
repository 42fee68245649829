import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { type OAuthTokens, OAuthTokensSchema } from "@modelcontextprotocol/sdk/shared/auth.js";
import { z } from "zod";
import { AppError } from "../../../contract/app-error.ts";
import { collection, keyOf, type Store } from "../../../contract/ports/store.ts";
import { stableId } from "../../../lib/index.ts";
import type { ClientCredentials } from "../config.ts";
import { Seal } from "./seal.ts";

const tokens = collection("tool-tokens", z.looseObject({ sealed: z.string() }), { ttlMs: 90 * 24 * 3_600_000 });
const tokenKey = (id: string) => keyOf(tokens, id);

/**
 * Access tokens of the client credentials grant, shared by all processes. The key that seals them is derived from the
 * client secret, which only the configuration has, so the store alone reveals nothing.
 */
export class SealedTokens implements OAuthClientProvider {
  readonly redirectUrl = undefined;
  readonly #config: ClientCredentials;
  readonly #store: Store;
  readonly #id: string;
  readonly #seal: Seal;

  constructor(config: ClientCredentials, server: URL, { store }: { readonly store: Store }) {
    this.#config = config;
    this.#store = store;
    this.#id = stableId("tokens", server.href, config.issuer, config.clientId, config.scope ?? "");
    this.#seal = new Seal(config.clientSecret, this.#id, "mcp tokens");
  }

  get clientMetadata() {
    return {
      client_name: "Mooring",
      redirect_uris: [],
      grant_types: ["client_credentials"],
      token_endpoint_auth_method: "client_secret_basic",
      ...(this.#config.scope !== undefined && { scope: this.#config.scope }),
    };
  }

  clientInformation() {
    const { clientId, clientSecret, issuer } = this.#config;
    return { client_id: clientId, client_secret: clientSecret.reveal(), issuer };
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    const stored = await this.#store.get(tokenKey(this.#id));
    return stored === undefined ? undefined : OAuthTokensSchema.safeParse(this.#seal.open(stored.value.sealed)).data;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    await this.#store.put(tokenKey(this.#id), { sealed: this.#seal.close(tokens) });
  }

  async invalidateCredentials(): Promise<void> {
    await this.#store.delete(tokenKey(this.#id));
  }

  prepareTokenRequest(scope = this.#config.scope): URLSearchParams {
    return new URLSearchParams({ grant_type: "client_credentials", ...(scope !== undefined && { scope }) });
  }

  redirectToAuthorization(): void {
    throw new AppError("unauthorised", WANTS_SIGN_IN);
  }

  saveCodeVerifier(): void {}

  codeVerifier(): string {
    throw new AppError("unauthorised", WANTS_SIGN_IN);
  }
}

const WANTS_SIGN_IN = "it wants a person to sign in: set signIn in its oauth";
