import { z } from "zod";

const ProxyAddress = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an address such as "10.0.0.7", or a network such as "10.0.0.0/8"',
});

const PublicUrl = z
  .string()
  .refine(isHttpOrigin, { error: 'must be an address such as "https://chat.example", without a path' })
  .transform((address) => new URL(address).origin);

const count = (fallback: number) => z.int().min(1).default(fallback);

/** What comes in through the port of one gateway process. */
const GatewayLimits = z.strictObject({
  connections: count(25_000).describe("Open at once; beyond that the longest idle one is cut."),
  connectionsPerAddress: count(500).describe("Of one address, trusted proxies excepted; more are cut."),
  requestsPerSecond: z
    .number()
    .positive()
    .default(200)
    .describe("From one address; ten times as many from this machine, as with every limit per address."),
  requestBurst: count(2_000).describe("How many of them may come at once."),
  bodyBytes: z
    .int()
    .min(100_000_000)
    .default(250_000_000)
    .describe("Bytes of request bodies in memory at once, of one address an eighth; beyond that requests get 503."),
  waitingMessages: count(10_000).describe(
    "When so many wait for an agent's answer, people are told to try again later.",
  ),
});
export type GatewayLimits = z.infer<typeof GatewayLimits>;

export const GatewayConfig = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("The address to listen on; 0.0.0.0 for all."),
  port: z.int().min(0).max(65_535).default(8080).describe("0: any free port."),
  publicUrl: PublicUrl.optional().describe("How browsers and platforms reach the gateway, if not by its own port."),
  trustedProxies: z
    .array(ProxyAddress)
    .default([])
    .describe("Proxies in front of it: what they say in X-Forwarded-For is the address that limits count."),
  drainMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(5_000)
    .describe(
      "How long it goes on serving after SIGTERM while /health/ready says 503, so that a load balancer can react. NATS only.",
    ),
  limits: GatewayLimits.prefault({}).describe("What it takes from outside."),
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

/** `mooring core` alone: its health and metrics. Together with the gateway it answers on the gateway's port. */
export const CoreConfig = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("The address to listen on; 0.0.0.0 for all."),
  port: z.int().min(0).max(65_535).optional().describe("Without it, a core on its own listens nowhere."),
});
export type CoreConfig = z.infer<typeof CoreConfig>;
