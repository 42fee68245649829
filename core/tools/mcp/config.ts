import { z } from "zod";
import { type Secret, secret } from "../../contract/secret.ts";

/** Names of other MCP clients for the transports. */
const TRANSPORTS = ["stdio", "http", "streamable-http", "streamableHttp", "sse"] as const;

/** Keys that other MCP clients write. They are accepted, so that their entries can be pasted, and have no effect here. */
const IGNORED_KEYS = ["autoApprove", "alwaysAllow", "description", "timeout"];

const Pattern = z.string().min(1).max(128);

const count = (min: number, max: number, fallback: number) => z.int().min(min).max(max).default(fallback);

const OAuthConfig = z
  .strictObject({
    signIn: z
      .boolean()
      .default(false)
      .describe("An operator signs in at the server once, with `mooring mcp sign-in` or in the console."),
    clientId: z
      .string()
      .min(1)
      .optional()
      .describe("The id of Mooring as a client of the authorization server. A sign-in registers one if it is absent."),
    clientSecret: secret().optional().describe("The secret of this client. Access tokens are stored encrypted."),
    issuer: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("The authorization server that gets the secret; a server that names another one is refused."),
    scope: z.string().min(1).optional().describe("The scopes to request, separated by spaces."),
    tokenKey: secret({ minLength: 16 })
      .optional()
      .describe("Encrypts the tokens of a sign-in in the store, the same in all processes. Its loss ends the sign-in."),
  })
  .superRefine(({ signIn, tokenKey, ...credentials }, context) => {
    const needs = (name: string, why: string) => context.addIssue({ code: "custom", path: [name], message: why });
    if (signIn && tokenKey === undefined)
      needs("tokenKey", "is needed with signIn: make one with `openssl rand -hex 32`");
    if (signIn) return;
    if (tokenKey !== undefined) needs("tokenKey", "is only for signIn: remove it, or set signIn");
    for (const name of ["clientId", "clientSecret", "issuer"] as const) {
      if (credentials[name] === undefined) needs(name, "is needed, unless signIn is set");
    }
  });
export type OAuthConfig = z.infer<typeof OAuthConfig>;

/** The settings of the client credentials grant. */
export type ClientCredentials = OAuthConfig & { clientId: string; clientSecret: Secret; issuer: string };

export const isClientCredentials = (oauth: OAuthConfig): oauth is ClientCredentials => !oauth.signIn;

const Server = z.strictObject({
  type: z
    .enum(TRANSPORTS)
    .optional()
    .describe("The transport, as other MCP clients write it. Only `sse` changes something: it skips streamable HTTP."),
  command: z.string().min(1).optional().describe("The program of a server that runs on this machine."),
  args: z.array(z.string()).default([]).describe("Arguments of the program."),
  env: z
    .record(z.string().min(1), secret({ minLength: 0 }))
    .default({})
    .describe("Environment variables of the program. Of Mooring's own it inherits PATH, HOME and a few like them."),
  cwd: z.string().min(1).optional().describe("Working directory of the program; Mooring's own by default."),
  url: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .optional()
    .describe("Address of a remote server: streamable HTTP, or SSE if the server has nothing else."),
  headers: z.record(z.string().min(1), secret()).default({}).describe("HTTP headers of every request to the server."),
  oauth: OAuthConfig.optional().describe(
    "Access tokens for a remote server: by the client credentials grant, or by the sign-in of an operator.",
  ),
  disabled: z.boolean().default(false).describe("Leaves the server out."),
  tools: z
    .strictObject({
      allow: z.array(Pattern).default(["*"]).describe("Its tools that the agent has; * stands for any characters."),
      deny: z.array(Pattern).default([]).describe("Its tools that the agent does not have, even if they are allowed."),
    })
    .prefault({})
    .describe("Which tools of the server the agent has, by the server's own names."),
  approval: z
    .enum(["destructive", "ask", "never"])
    .default("destructive")
    .describe("Which calls a person must approve: those that may destroy something, all, or none."),
  trusted: z
    .boolean()
    .default(false)
    .describe("Believes what the server says about its tools: read-only, idempotent, not destructive."),
  timeoutMs: count(100, 900_000, 60_000).describe("Timeout of one call, in milliseconds."),
  startTimeoutMs: count(100, 300_000, 60_000).describe(
    "Timeout of a start, in milliseconds. A turn that needs the list of tools for the first time waits at most 10 seconds.",
  ),
  idleMs: count(1_000, 86_400_000, 600_000).describe("Stops the server after this time without a call."),
  maxResultBytes: count(1_000, 32_000, 32_000).describe("Bytes of text of one result; the rest is cut off."),
});

const withoutIgnored = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => !IGNORED_KEYS.includes(key)))
    : value;

export const McpServerConfig = z.preprocess(
  withoutIgnored,
  Server.refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: "needs a command or a url, and not both",
  })
    .refine(({ oauth, url }) => oauth === undefined || url !== undefined, {
      path: ["oauth"],
      error: "is only for a server with a url: remove it",
    })
    .refine(({ oauth, headers }) => oauth === undefined || !Object.keys(headers).some(isAuthorization), {
      path: ["headers"],
      error: "may not have Authorization besides oauth: remove one of them",
    }),
);
export type McpServerConfig = z.infer<typeof McpServerConfig>;

function isAuthorization(header: string): boolean {
  return header.toLowerCase() === "authorization";
}

/** Two underscores separate the server from its tool. */
const ServerName = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9. -]|_(?!_)){0,38}$/, {
    error: 'must begin with a letter or digit, and have letters, digits, ".", "-", single "_" and spaces, at most 39',
  })
  .refine((name) => !name.endsWith("_"), { error: 'may not end with "_"' });

/** The part of the names of a server's tools that stands before the two underscores. */
export const prefixOfServer = (name: string): string => name.replace(/[^A-Za-z0-9_-]+/g, "-");

export const McpServersConfig = z.record(ServerName, McpServerConfig).superRefine((servers, context) => {
  const names = Object.keys(servers);
  for (const [index, name] of names.entries()) {
    const first = names.find((other) => prefixOfServer(other) === prefixOfServer(name));
    if (first === undefined || first === names[index]) continue;
    context.addIssue({
      code: "custom",
      path: [name],
      message: `its tools would have the names of those of "${first}"`,
    });
  }
});
export type McpServersConfig = z.infer<typeof McpServersConfig>;
