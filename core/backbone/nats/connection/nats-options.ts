import { nuid } from "nats";
import { AppError } from "../../../contract/app-error.ts";
import type { RequiredReader } from "../../../contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../contract/ports/clock.ts";
import { type Logger, silentLogger } from "../../../contract/ports/logger.ts";

export interface NatsAuth {
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** Path of a `.creds` file. */
  readonly credentialsFile?: string;
}

export interface NatsOptions {
  /** "nats://host:port". Name every server of a cluster. */
  readonly servers: readonly string[];
  /** Prefix of all streams, buckets and subjects, so that deployments can share a server. */
  readonly prefix: string;
  readonly replicas: number;
  readonly auth: NatsAuth;
  /** Prefix of reply subjects. A different one per role lets permissions keep a role from reading the other's answers. */
  readonly inboxPrefix: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Creates the id of this process among the members that share its work; each call returns a new one. */
  readonly newId: () => string;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  /** A process without a heartbeat for this long loses its partitions to others. */
  readonly leaseMs: number;
  /** Stored at a deployment's first start. A higher multiple raises it (PartitionRaise). */
  readonly partitions: number;
  readonly failurePauseMs: number;
  readonly requestTimeoutMs: number;
  /** A dead connection is detected after about three of these. */
  readonly pingMs: number;
  /** How long an operation waits for an unreachable server before it rejects with "unavailable". */
  readonly operationTimeoutMs: number;
  /** health() is not ok while a partition of one of these has no reader. */
  readonly requiredReaders: readonly RequiredReader[];
}

export type NatsBackboneOptions = Pick<NatsOptions, "servers"> & Partial<NatsOptions>;

/** Fills in defaults. Throws "bad-configuration", with advice, for values that cannot work. */
export const natsOptions = (given: NatsBackboneOptions): NatsOptions => {
  const options: NatsOptions = {
    prefix: "mooring",
    replicas: 1,
    auth: {},
    inboxPrefix: "_INBOX",
    clock: systemClock,
    logger: silentLogger,
    newId: () => nuid.next(),
    random: Math.random,
    leaseMs: 10_000,
    partitions: 32,
    failurePauseMs: 500,
    requestTimeoutMs: 5_000,
    pingMs: 5_000,
    operationTimeoutMs: 10_000,
    requiredReaders: [],
    ...given,
  };
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/.test(options.prefix)) {
    throw wrong(`prefix "${options.prefix}": use 1 to 32 letters, digits and "-", beginning with a letter or digit`);
  }
  if (options.servers.length === 0) throw wrong('servers: name at least one, such as "nats://127.0.0.1:4222"');
  for (const limit of [
    "partitions",
    "replicas",
    "leaseMs",
    "requestTimeoutMs",
    "pingMs",
    "operationTimeoutMs",
  ] as const) {
    const value = options[limit];
    if (!Number.isInteger(value) || value < 1) throw wrong(`${limit} must be a whole number above 0 (got ${value})`);
  }
  if (options.partitions > MAX_PARTITIONS) {
    throw wrong(`partitions must be at most ${MAX_PARTITIONS} (got ${options.partitions})`);
  }
  if (![1, 3, 5].includes(options.replicas)) throw wrong(`replicas must be 1, 3 or 5 (got ${options.replicas})`);
  return options;
};

/** Each partition of each durable is a consumer on the server. */
const MAX_PARTITIONS = 1_024;

const wrong = (what: string) => new AppError("bad-configuration", `NATS backbone: ${what}`);
