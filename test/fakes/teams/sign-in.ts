import { randomUUID } from "node:crypto";

export interface SignInAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The token endpoint of a tenant with one app, and its issued tokens. */
export class SignIn {
  readonly appId = randomUUID();
  readonly appPassword = `secret-${randomUUID()}`;
  readonly #scope: string;
  readonly #tokens = new Set<string>();
  /** AADSTS number of a refusal. */
  error: number | undefined;
  /** Delays every response until it resolves. */
  ready: Promise<void> = Promise.resolve();

  constructor(issuer: string) {
    this.#scope = `${issuer}/.default`;
  }

  answer(form: URLSearchParams): SignInAnswer {
    const error = this.error ?? this.#mistakeIn(form);
    if (error !== undefined) {
      const error_description = `AADSTS${error}: refused. Trace ID: 0 Timestamp: 2026-01-02 03:04:05Z`;
      return { status: 401, body: { error: "invalid_client", error_description, error_codes: [error] } };
    }
    const access_token = `token-${randomUUID()}`;
    this.#tokens.add(access_token);
    return { status: 200, body: { token_type: "Bearer", expires_in: 3_599, ext_expires_in: 3_599, access_token } };
  }

  isValid(authorization: string | undefined): boolean {
    return this.#tokens.has(authorization?.replace(/^Bearer /, "") ?? "");
  }

  /** Invalidates all issued tokens. */
  revokeAll(): void {
    this.#tokens.clear();
  }

  #mistakeIn(form: URLSearchParams): number | undefined {
    if (form.get("grant_type") !== "client_credentials") return 70_003;
    if (form.get("client_id") !== this.appId) return 700_016;
    if (form.get("client_secret") !== this.appPassword) return 7_000_215;
    return form.get("scope")?.split(" ").includes(this.#scope) ? undefined : 70_011;
  }
}
