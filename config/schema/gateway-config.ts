import { z } from "zod";
import { Name } from "../../core/contract/ports/token.ts";
import { secret } from "../../core/contract/secret.ts";

const ProxyAddress = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an address such as "10.0.0.7", or a network such as "10.0.0.0/8"',
});

const PublicUrl = z
  .string()
  .refine(isHttpOrigin, { error: 'must be an address such as "https://chat.example", without a path' })
  .transform((address) => new URL(address).origin);

const count = (fallback: number) => z.int().min(1).default(fallback);

/** Limits of one gateway process. */
const GatewayLimits = z.strictObject({
  connections: count(25_000).describe(
    "Open connections; above that, the connection that has been idle longest is closed.",
  ),
  connectionsPerAddress: count(500).describe(
    "Open connections per client address, except trusted proxies; further ones are closed.",
  ),
  requestsPerSecond: z
    .number()
    .positive()
    .default(200)
    .describe(
      "Requests per second and client address; ten times as many from this machine, as for every limit per address.",
    ),
  requestBurst: count(2_000).describe("Requests that a client address may send in one burst."),
  bodyBytes: z
    .int()
    .min(100_000_000)
    .default(250_000_000)
    .describe("Bytes of request bodies in memory, an eighth of it per client address; above that, requests get 503."),
  waitingMessages: count(10_000).describe(
    "Messages that may wait for one agent; above that, people are asked to try again later.",
  ),
});
export type GatewayLimits = z.infer<typeof GatewayLimits>;

export const GatewayConfig = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("Address to listen on; 0.0.0.0 for all interfaces."),
  port: z.int().min(0).max(65_535).default(8080).describe("Port to listen on; 0: any free port."),
  publicUrl: PublicUrl.optional().describe(
    "Public address of the gateway, if browsers and platforms do not use its own port.",
  ),
  filesUrl: PublicUrl.optional().describe(
    "Address of links to files that the agent sends; another host than publicUrl keeps files apart from the widget and the console. Default: publicUrl.",
  ),
  trustedProxies: z
    .array(ProxyAddress)
    .default([])
    .describe("Reverse proxies whose X-Forwarded-For header gives the client address for limits."),
  drainMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(5_000)
    .describe(
      "Drain time after SIGTERM: /health/ready returns 503 and requests are still served, so that load balancers can react. NATS only.",
    ),
  limits: GatewayLimits.prefault({}).describe("Limits on connections, requests and waiting messages."),
});
export type GatewayConfig = z.infer<typeof GatewayConfig>;

function isHttpOrigin(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return (
    url !== undefined &&
    ["http:", "https:"].includes(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "") &&
    url.pathname === "/"
  );
}

/** Health and metrics of `mooring core`. A process that also runs the gateway serves them on the gateway's port. */
export const CoreConfig = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("Address to listen on; 0.0.0.0 for all interfaces."),
  port: z.int().min(0).max(65_535).optional().describe("Port to listen on; without it, `mooring core` serves no HTTP."),
});
export type CoreConfig = z.infer<typeof CoreConfig>;

/** check-credentials.ts checks its strength. */
const token = secret().describe(
  'The token itself, at least 20 characters, or "sha256:" followed by the 64 hex digits of its digest.',
);

const AdminToken = z.discriminatedUnion("role", [
  z.strictObject({ token, role: z.literal("platform_admin").describe("Sees and changes all tenants.") }),
  z.strictObject({
    token,
    role: z.literal("org_admin").describe("Sees and changes one tenant."),
    tenant: Name.describe("The tenant of the operator."),
  }),
]);

/** If no token is configured, the first start creates one and stores it in dataDir. */
export const AdminConfig = z.strictObject({
  tokens: z.array(AdminToken).default([]).describe("Operators that may use the admin API and the console."),
});
export type AdminConfig = z.infer<typeof AdminConfig>;
