import { ConfidentialClientApplication } from "@azure/msal-node";
import { AppError } from "../../core/contract/app-error.ts";
import type { TeamsConfig } from "./config.ts";
import { explainTokenFailure } from "./explain-token-failure.ts";

const PATIENCE_MS = 10_000;
/** MSAL knows this authority by heart and asks nobody about it; the request itself goes to `tokenUrl`. */
const AUTHORITY = "https://login.microsoftonline.com";

/** The token that the bot shows when it calls Teams. */
export class BotToken {
  readonly #client: ConfidentialClientApplication;
  readonly #scope: string;
  readonly #tokenUrl: string;
  #asking: Promise<string> | undefined;
  #refused = false;
  /** MSAL keeps to itself what went wrong on the way. */
  #networkFailure: unknown;
  /** Why the last request got none. */
  problem: string | undefined;

  constructor(config: Pick<TeamsConfig, "appId" | "appPassword" | "tenantId" | "tokenUrl" | "issuer">) {
    const { appId, appPassword, tenantId, tokenUrl, issuer } = config;
    this.#scope = `${issuer}/.default`;
    this.#tokenUrl = tokenUrl;
    this.#client = new ConfidentialClientApplication({
      auth: { clientId: appId, clientSecret: appPassword.reveal(), authority: `${AUTHORITY}/${tenantId}` },
      system: { networkClient: this.#requestsTo(tokenUrl), loggerOptions: { loggerCallback: () => undefined } },
    });
  }

  /** A valid one, from the cache or new. Callers at the same time share one request. A failure says what to do. */
  get(): Promise<string> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Teams did not take the last one: the next is a new one, whatever the cache says. */
  forget(): void {
    this.#refused = true;
  }

  async #ask(): Promise<string> {
    try {
      const skipCache = this.#refused;
      const result = await this.#client.acquireTokenByClientCredential({ scopes: [this.#scope], skipCache });
      if (!result?.accessToken) throw new Error("the answer has no token");
      this.#refused = false;
      this.problem = undefined;
      return result.accessToken;
    } catch (error) {
      this.problem = explainTokenFailure(this.#networkFailure ?? error, this.#tokenUrl);
      throw new AppError("unavailable", this.problem, { cause: error });
    }
  }

  /** MSAL's requests with a deadline, and to the configured address: MSAL itself takes no proxy and no test server. */
  #requestsTo(tokenUrl: string): NetworkClient {
    const send = async <T>(method: string, url: string, options: RequestOptions = {}) => {
      this.#networkFailure = undefined;
      try {
        const signal = AbortSignal.timeout(PATIENCE_MS);
        const answer = await fetch(url.replace(AUTHORITY, tokenUrl), { method, ...options, redirect: "error", signal });
        return { headers: Object.fromEntries(answer.headers), status: answer.status, body: (await answer.json()) as T };
      } catch (error) {
        this.#networkFailure = error;
        throw error;
      }
    };
    return {
      sendGetRequestAsync: (url, options) => send("GET", url, options),
      sendPostRequestAsync: (url, options) => send("POST", url, options),
    };
  }
}

type NetworkClient = NonNullable<
  NonNullable<ConstructorParameters<typeof ConfidentialClientApplication>[0]["system"]>["networkClient"]
>;
type RequestOptions = { headers?: Record<string, string>; body?: string };
