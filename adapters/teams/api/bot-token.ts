import { ConfidentialClientApplication } from "@azure/msal-node";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Clock, Timer } from "../../../core/contract/ports/clock.ts";
import type { TeamsConfig } from "../config.ts";

const TIMEOUT_MS = 10_000;
/** MSAL needs no discovery request for this authority; the token request itself goes to `tokenUrl`. */
const AUTHORITY = "https://login.microsoftonline.com";

/** The bot's access token for calls to Teams. */
export class BotToken {
  readonly #client: ConfidentialClientApplication;
  readonly #scope: string;
  readonly #tokenUrl: string;
  #fetching: Promise<string> | undefined;
  #refused = false;
  /** MSAL hides network errors, so they are recorded here. */
  #networkFailure: unknown;
  /** Why the last request failed; undefined after success. */
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

  /** A valid token, cached or new. Concurrent callers share one request. Errors name the remedy. */
  get(): Promise<string> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  /** Invalidates the cached token after Teams rejected it. */
  forget(): void {
    this.#refused = true;
  }

  async #fetch(): Promise<string> {
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

  /** Sends MSAL's requests with a timeout and to the configured address: MSAL supports neither proxies nor test servers. */
  #requestsTo(tokenUrl: string): NetworkClient {
    const send = async <T>(method: string, url: string, options: RequestOptions = {}) => {
      this.#networkFailure = undefined;
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
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

/** Remedies by AADSTS error number. */
const ADVICE: Readonly<Record<string, string>> = {
  "7000215":
    "the client secret is wrong: appPassword takes the secret's value, which is shown only once, not its ID. Make a new one and copy its value",
  "7000222": "the client secret has expired: make a new one in the app registration and set appPassword to its value",
  "7000218": "no client secret was sent: set appPassword",
  "700016":
    "this tenant has no such app: compare appId with the Application (client) ID, and tenantId with the Directory (tenant) ID, of the app registration",
  "90002": "there is no such tenant: set tenantId to the Directory (tenant) ID of the app registration",
  "900023": "tenantId is not a tenant's id: set it to the Directory (tenant) ID of the app registration",
  "500011":
    "the tenant does not know the Bot Framework: create the Azure Bot resource, of type Single Tenant, in this tenant",
  "53003": "a Conditional Access policy of the tenant blocks the app: ask its administrator to exempt it",
  "7000112": "the app is disabled in this tenant: ask its administrator to enable it",
};

/** Why the token request failed, with the remedy. */
const explainTokenFailure = (error: unknown, tokenUrl: string): string => {
  const message = messageOf(error);
  const code = /AADSTS(\d+)/.exec(message)?.[1];
  if (code !== undefined) {
    const advice = ADVICE[code] ?? "look the number up in Microsoft's list of sign-in errors";
    return `Microsoft's sign-in refuses the bot (AADSTS${code}): ${advice}`;
  }
  return `no token from ${tokenUrl}: ${networkReason(error)}. Check that this machine may call it, and tokenUrl if it is set`;
};

const networkReason = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error && cause.name === "TimeoutError") return "it did not answer in time";
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : undefined;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its name cannot be resolved";
  if (code === "ECONNREFUSED") return "it refuses the connection";
  if (cause instanceof SyntaxError) return "its response is not JSON, so another server answers there";
  if (isForeignAnswer(cause)) return "its response is not Microsoft's, so another server answers there";
  return messageOf(cause);
};

/** RFC 6749 defines `error` as a string; MSAL copies any JSON value of that field into `errorCode`. */
const isForeignAnswer = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "errorCode" in cause && typeof cause.errorCode !== "string";

const CHECK_EVERY_MS = 30_000;

/**
 * Signs in at start and retries while that fails, so that health reports a wrong secret before the first delivery, and
 * its repair without one. Intake does not wait for it.
 */
export class SignInCheck {
  readonly #token: Pick<BotToken, "get" | "problem">;
  readonly #clock: Clock;
  #timer: Timer | undefined;

  constructor(token: Pick<BotToken, "get" | "problem">, clock: Clock) {
    this.#token = token;
    this.#clock = clock;
  }

  start(): void {
    // `problem` holds the failure.
    this.#token.get().catch(() => undefined);
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#clock.after(CHECK_EVERY_MS, () => {
      if (this.#token.problem !== undefined) this.#token.get().catch(() => undefined);
      this.#arm();
    });
  }
}
