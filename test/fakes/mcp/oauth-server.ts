import { streamable, TestHttpServer } from "./http-server.ts";

/** An MCP server that wants an access token, and its authorization server, on one port. */
export class OAuthServer {
  readonly tokenRequests: { readonly authorization: string | undefined; readonly body: URLSearchParams }[] = [];
  readonly #server: TestHttpServer;
  #issued = 0;

  private constructor(server: TestHttpServer) {
    this.#server = server;
  }

  static async start(): Promise<OAuthServer> {
    const serve = streamable(true);
    const server: TestHttpServer = await TestHttpServer.start(async (request, response) => {
      const json = (value: object) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
      const { url } = made;
      if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
        return void json({ resource: `${url}/mcp`, authorization_servers: [url] });
      }
      if (request.url?.startsWith("/.well-known/")) {
        return void json({
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          response_types_supported: ["code"],
          token_endpoint_auth_methods_supported: ["client_secret_basic"],
        });
      }
      if (request.url === "/token") {
        let body = "";
        for await (const chunk of request) body += chunk;
        made.tokenRequests.push({ authorization: request.headers.authorization, body: new URLSearchParams(body) });
        return void json({ access_token: made.#next(), token_type: "Bearer", expires_in: 3_600 });
      }
      if (request.headers.authorization !== `Bearer ${made.token}`) return void response.writeHead(401).end();
      await serve(request, response);
    });
    const made = new OAuthServer(server);
    return made;
  }

  get url(): string {
    return this.#server.url;
  }

  /** The token that is valid now. */
  get token(): string {
    return `token-${this.#issued}`;
  }

  /** Makes the current token invalid. */
  expire(): void {
    this.#issued++;
  }

  #next(): string {
    this.#issued++;
    return this.token;
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}
