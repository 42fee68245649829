import { z } from "zod";
import { secret } from "../contract/secret.ts";

const ServerAddress = z.string().refine(isServerAddress, {
  error: 'must look like "nats://host:4222" or "tls://host:4222"; user and password have keys of their own',
});

export const NatsConfig = z
  .strictObject({
    servers: z
      .array(ServerAddress)
      .min(1)
      .describe("Addresses of the servers of one cluster; Mooring connects to one that answers."),
    prefix: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/, {
        error: 'must be 1 to 32 letters, digits and "-", and begin with a letter or digit',
      })
      .default("mooring")
      .describe("Prefix of all subjects, streams and buckets, so that deployments can share a server."),
    replicas: z.literal([1, 3, 5]).default(1).describe("Number of copies that the cluster stores."),
    leaseMs: z
      .int()
      .min(500)
      .default(10_000)
      .describe(
        "A process without a heartbeat for this long loses its work, and its platform connections, to other processes.",
      ),
    partitions: z
      .int()
      .min(1)
      .max(1_024)
      .default(32)
      .describe(
        "Number of partitions of the work: at most this many processes of a role share it. It can be raised to a multiple, and not lowered.",
      ),
    inboxPrefix: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, "-" and "_"' })
      .default("_INBOX")
      .describe("Prefix of reply subjects; use one per role if roles have different permissions."),
    user: z.string().min(1).optional().describe("User name, together with password."),
    password: secret().optional().describe("Password of the user."),
    token: secret().optional().describe("Token, instead of user and password."),
    credentialsFile: z.string().min(1).optional().describe("Path of a .creds file."),
  })
  .refine((nats) => (nats.user === undefined) === (nats.password === undefined), {
    error: "user and password go together: set both or neither",
  })
  .refine((nats) => [nats.user, nats.token, nats.credentialsFile].filter((way) => way !== undefined).length <= 1, {
    error: "choose one way to sign in: user and password, or token, or credentialsFile",
  });
export type NatsConfig = z.infer<typeof NatsConfig>;

export const BackboneConfig = z
  .union([
    z.literal("embedded"),
    z.strictObject({ nats: NatsConfig.describe("NATS with JetStream, for any number of processes.") }),
  ])
  .describe("Storage of messages and records: embedded (the default), one file in dataDir; or NATS with JetStream.");
export type BackboneConfig = z.infer<typeof BackboneConfig>;

function isServerAddress(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return (
    url !== undefined &&
    ["nats:", "tls:"].includes(url.protocol) &&
    url.hostname !== "" &&
    url.username === "" &&
    url.password === "" &&
    ["", "/"].includes(url.pathname)
  );
}
