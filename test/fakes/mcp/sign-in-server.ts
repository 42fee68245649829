import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { InvalidGrantError, InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import type { AuthorizationParams, OAuthServerProvider } from "@modelcontextprotocol/sdk/server/auth/provider.js";
import { mcpAuthRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { OAuthClientInformationFull, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { z } from "zod";

/** The answer of the person who signs in. */
type Consent = "accepts" | "refuses";

/**
 * An MCP server and the authorization server that protects it, both made with the server parts of the SDK: discovery,
 * dynamic registration, PKCE, and refresh tokens that are good for one use.
 */
export class SignInServer {
  consent: Consent = "accepts";
  /** While set, the token endpoint answers with an error of its own. */
  isBroken = false;
  /** Lifetime of access tokens, in seconds; undefined: not named. */
  expiresIn: number | undefined;
  readonly registered: OAuthClientInformationFull[] = [];
  /** Scopes of the authorization requests. */
  readonly scopes: (readonly string[] | undefined)[] = [];
  refreshes = 0;
  /** Refresh tokens that arrived a second time; such a server then ends the sign-in. */
  reuses = 0;
  codesUsed = 0;
  readonly #codes = new Map<string, AuthorizationParams>();
  readonly #refreshTokens = new Set<string>();
  #accessToken = "";
  #http: Server | undefined;

  static async start(): Promise<SignInServer> {
    const made = new SignInServer();
    const app = createMcpExpressApp();
    const http = app.listen(0, "127.0.0.1");
    await once(http, "listening");
    made.#http = http;
    const provider = made.#provider();
    app.use("/token", (_request, response, next) => (made.isBroken ? void response.status(503).end() : next()));
    const rateLimit = false as const;
    app.use(
      mcpAuthRouter({
        provider,
        issuerUrl: new URL(made.url),
        resourceServerUrl: new URL(`${made.url}/mcp`),
        scopesSupported: ["tides"],
        authorizationOptions: { rateLimit },
        tokenOptions: { rateLimit },
        clientRegistrationOptions: { rateLimit },
      }),
    );
    app.all("/mcp", requireBearerAuth({ verifier: provider }), async (request, response) => {
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true } as never);
      await tideServer().connect(transport as never);
      await transport.handleRequest(request, response, request.body);
    });
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${((this.#http as Server).address() as AddressInfo).port}`;
  }

  /** The access token that is valid now. */
  get accessToken(): string {
    return this.#accessToken;
  }

  /** Makes the access token invalid. */
  expire(): void {
    this.#accessToken = "";
  }

  /** Ends every sign-in: refresh tokens too. */
  revoke(): void {
    this.expire();
    this.#refreshTokens.clear();
  }

  async stop(): Promise<void> {
    this.#http?.closeAllConnections();
    this.#http?.close();
  }

  #issue(): OAuthTokens {
    this.#accessToken = `access-${randomUUID()}`;
    const refresh_token = `refresh-${randomUUID()}`;
    this.#refreshTokens.add(refresh_token);
    const { expiresIn } = this;
    return {
      access_token: this.#accessToken,
      token_type: "Bearer",
      refresh_token,
      ...(expiresIn !== undefined && { expires_in: expiresIn }),
    };
  }

  #provider(): OAuthServerProvider {
    return {
      clientsStore: {
        getClient: (id) => this.registered.find((client) => client.client_id === id),
        registerClient: (client) => {
          const full = { ...client, client_id: randomUUID() } as OAuthClientInformationFull;
          this.registered.push(full);
          return full;
        },
      },
      authorize: async (_client, params, response) => {
        this.scopes.push(params.scopes);
        const back = new URL(params.redirectUri);
        if (params.state !== undefined) back.searchParams.set("state", params.state);
        if (this.consent === "refuses") back.searchParams.set("error", "access_denied");
        else {
          const code = randomUUID();
          this.#codes.set(code, params);
          back.searchParams.set("code", code);
        }
        response.redirect(back.href);
      },
      challengeForAuthorizationCode: async (_client, code) => this.#codes.get(code)?.codeChallenge ?? "",
      exchangeAuthorizationCode: async (_client, code, _verifier, redirectUri) => {
        const params = this.#codes.get(code);
        if (params === undefined || params.redirectUri !== redirectUri) throw new InvalidGrantError("unknown code");
        this.#codes.delete(code);
        this.codesUsed++;
        return this.#issue();
      },
      exchangeRefreshToken: async (_client, token) => {
        this.refreshes++;
        if (!this.#refreshTokens.delete(token)) {
          this.reuses++;
          this.#refreshTokens.clear();
          throw new InvalidGrantError("the refresh token was used before");
        }
        return this.#issue();
      },
      verifyAccessToken: async (token) => {
        if (token !== this.#accessToken) throw new InvalidTokenError("expired");
        return { token, clientId: "mooring", scopes: ["tides"], expiresAt: Math.floor(Date.now() / 1_000) + 3_600 };
      },
    };
  }
}

const tideServer = (): McpServer => {
  const server = new McpServer({ name: "tides", version: "1" });
  server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  return server;
};

/** The operator's browser: opens the link, and returns the parameters of the address at which it ends. */
export const openInBrowser = async (link: string): Promise<{ address: string; state: string; code?: string }> => {
  const response = await fetch(link, { redirect: "manual" });
  const address = response.headers.get("location") ?? "";
  const { state = "", ...rest } = Object.fromEntries(new URL(address).searchParams);
  return { address, state, ...rest };
};
