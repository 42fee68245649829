import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, McpError, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { AppError, messageOf } from "../../../contract/app-error.ts";
import { maskSecrets } from "../../../lib/index.ts";
import { secretHider } from "../../hide-secrets.ts";
import { isClientCredentials, type McpServerConfig } from "../config.ts";
import { type ConnectDeps, type Connection, type RequestOptions, ServerFailed } from "./connection.ts";
import { LOST_ANSWER } from "./event-stream.ts";
import { FloodLimit } from "./flood-limit.ts";
import { signInTarget } from "./grant-record.ts";
import { SealedTokens } from "./oauth.ts";
import { serverFetch } from "./server-fetch.ts";
import { ServerOutput } from "./server-output.ts";
import { SignedInTokens } from "./signed-in-tokens.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Starts or contacts a server and agrees with it on a version. Rejects with ServerFailed. */
export const connect = async (
  config: McpServerConfig,
  deps: ConnectDeps,
  limits: { readonly signal: AbortSignal },
): Promise<Connection> => {
  const link = new Link(deps, secretHider(config));
  if (config.command !== undefined) return link.open(link.stdio(config, config.command), limits.signal);
  const url = new URL(config.url ?? "");
  if (config.type === "sse") return link.open(link.sse(config, url), limits.signal);
  try {
    return await link.open(link.streamable(config, url), limits.signal);
  } catch (error) {
    // Servers of the first protocol version answer the first request with one of these.
    if (!(error instanceof ServerFailed) || !isWithoutStreamable(error.cause)) throw error;
    const older = new Link(deps, secretHider(config));
    return older.open(older.sse(config, url), limits.signal).catch(() => {
      throw error;
    });
  }
};

const isWithoutStreamable = (error: unknown): boolean =>
  error instanceof StreamableHTTPError && [400, 404, 405].includes(error.code ?? 0);

/** The validators of the SDK would reject a whole list for one bad schema; results are checked here anyway. */
const noValidator = { getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined }) };

class Link implements Connection {
  readonly closed: Promise<string>;
  readonly #deps: ConnectDeps;
  readonly #client: Client;
  readonly #output: ServerOutput;
  /** Hides the credentials of the server in its texts. */
  readonly #hide: (text: string) => string;
  #reason: string | undefined;
  #ended: (reason: string) => void = () => {};

  constructor(deps: ConnectDeps, hide: (text: string) => string) {
    this.#deps = deps;
    this.#hide = hide;
    this.#output = new ServerOutput(deps.clock, deps.logger, hide);
    this.#client = new Client(
      { name: "mooring", version: deps.version },
      { jsonSchemaValidator: noValidator as never },
    );
    this.closed = new Promise((resolve) => {
      this.#ended = resolve;
    });
    this.#client.onerror = (error) =>
      deps.logger.debug({ error: hide(withoutContent(error)) }, "server sent something invalid");
    this.#client.onclose = () => this.#ended(this.#reason ?? "the connection was closed");
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => deps.onListChanged());
  }

  get capabilities() {
    return this.#client.getServerCapabilities() ?? {};
  }

  stdio(config: McpServerConfig, command: string): Transport {
    const { args, cwd } = config;
    const env = Object.fromEntries(Object.entries(config.env).map(([name, value]) => [name, value.reveal()]));
    const { groups, clock } = this.#deps;
    return new StdioTransport(
      { command, args, env, cwd },
      { groups, clock, output: this.#output, onBroken: (reason) => this.#broken(reason) },
    ) as Transport;
  }

  streamable(config: McpServerConfig, url: URL): Transport {
    return new StreamableHTTPClientTransport(url, this.#remote(config, url)) as Transport;
  }

  sse(config: McpServerConfig, url: URL): Transport {
    return new SSEClientTransport(url, this.#remote(config, url)) as Transport;
  }

  #remote(config: McpServerConfig, url: URL) {
    const headers = Object.fromEntries(Object.entries(config.headers).map(([name, value]) => [name, value.reveal()]));
    const onBroken = (reason: string) => {
      this.#broken(`${reason}, and was disconnected`);
      void this.close();
    };
    const { oauth } = config;
    const target = signInTarget(this.#deps.ref, this.#deps.ref.server, config);
    return {
      fetch: serverFetch({
        url,
        headers,
        onBroken,
        tokens: target && new SignedInTokens(target, this.#deps),
        flood: new FloodLimit(this.#deps.clock),
      }),
      ...(oauth && isClientCredentials(oauth) && { authProvider: new SealedTokens(oauth, url, this.#deps) }),
    };
  }

  async open(transport: Transport, signal: AbortSignal): Promise<Connection> {
    const onAbort = () => void this.close();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      // The signal limits the start, so the SDK's own limit must be longer.
      await this.#client.connect(transport, { signal, timeout: MAX_TIMEOUT_MS });
      return this;
    } catch (error) {
      await this.close();
      throw signal.aborted ? explain(signal.reason, { hide: this.#hide }) : this.#explained(error);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async request<T>(method: string, params: object, schema: z.ZodType<T>, options: RequestOptions): Promise<T> {
    const { signal, timeoutMs, onProgress } = options;
    try {
      return (await this.#client.request({ method, params: { ...params } } as never, schema as never, {
        signal,
        timeout: timeoutMs,
        ...(onProgress && { onprogress: onProgress }),
      })) as T;
    } catch (error) {
      signal.throwIfAborted();
      // The transport failed, not the request: the next one needs a new session.
      if (!(error instanceof McpError) && !isInvalid(error)) await this.close();
      throw this.#explained(error, timeoutMs);
    }
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
    await this.#client.transport?.close().catch(() => {});
  }

  #broken(reason: string): void {
    this.#reason ??= reason;
  }

  /** Never has secrets; the detail names the last output of a program that ended. */
  #explained(error: unknown, timeoutMs?: number): ServerFailed {
    const reason = this.#reason;
    if (reason === undefined) return explain(error, { timeoutMs, hide: this.#hide });
    const last = this.#output.lastLine;
    const detail = last === "" ? reason : `${reason}; its last output: ${last}`;
    return new ServerFailed("unavailable", reason, detail, { cause: error });
  }
}

/** The SDK appends the whole message of the server, such as an answer that came too late. */
const withoutContent = (error: unknown): string =>
  messageOf(error).split(/[[{]/)[0]?.slice(0, MAX_CHARS) || "no message";

const HTTP_NOT_FOUND = 404;

/** The SDK has checked the answer with our schema. */
const isInvalid = (error: unknown): boolean => error instanceof z.ZodError;

const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const MAX_CHARS = 500;
const REQUEST_TIMEOUT: number = ErrorCode.RequestTimeout;

const hasTimeout = (data: unknown): boolean => typeof data === "object" && data !== null && "timeout" in data;

interface ExplainOptions {
  readonly timeoutMs?: number | undefined;
  /** Hides the credentials of the server. */
  hide(text: string): string;
}

const explain = (error: unknown, { timeoutMs = 0, hide }: ExplainOptions): ServerFailed => {
  const failed = (...[code, text, detail = text]: [AppError["code"], string, string?]) =>
    new ServerFailed(code, text, maskSecrets(hide(detail)).slice(0, MAX_CHARS), { cause: error });
  if (error instanceof ServerFailed) return error;
  if (error instanceof AppError) return failed(error.code, error.message);
  const { code, cause, message } = error as { code?: unknown; cause?: unknown; message?: string };
  // A server may use the code too, but without the limit of this request.
  if (error instanceof McpError && code === REQUEST_TIMEOUT && hasTimeout(error.data)) {
    return failed("unavailable", `it did not answer within ${timeoutMs} ms`);
  }
  if (error instanceof McpError && error.message.endsWith(LOST_ANSWER)) return failed("unavailable", LOST_ANSWER);
  if (error instanceof McpError) {
    const said = error.message.replace(/^MCP error -?\d+: /, "");
    return failed("bad-input", `it answered with error ${error.code}`, `it answered with error ${error.code}: ${said}`);
  }
  if (error instanceof UnauthorizedError || code === 401 || code === 403) {
    const status = code === undefined ? "" : ` (HTTP ${code})`;
    return failed("unauthorised", `it refuses the credentials${status}: check headers or oauth`);
  }
  if (/redirect/i.test(message ?? "")) {
    return failed("unavailable", "its address redirects elsewhere: configure the new address", messageOf(error));
  }
  if (isInvalid(error)) return failed("bad-input", "its answer does not have the form of the protocol");
  if (code === HTTP_NOT_FOUND) {
    const text = "its address does not answer as an MCP server does (HTTP 404)";
    return failed("not-found", text);
  }
  const status = typeof code === "number" && code > 0 ? ` (HTTP ${code})` : "";
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  const text = code === undefined ? "it cannot be reached" : "its address does not answer as an MCP server does";
  return failed("unavailable", `${text}${status}`, `${text}${status}: ${messageOf(error)}${why}`);
};
