import { nuid } from "nats";
import { AppError } from "../../contract/app-error.ts";
import type { RequiredReader } from "../../contract/backbone.ts";
import type { Clock } from "../../contract/clock.ts";
import { systemClock } from "../../contract/clock.ts";
import type { Logger } from "../../contract/logger.ts";
import { silentLogger } from "../../contract/logger.ts";

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
  /** In front of every stream, bucket and subject, so that deployments can share a server. */
  readonly prefix: string;
  readonly replicas: number;
  readonly auth: NatsAuth;
  /** Where answers come in. One of its own for each role keeps a role from listening to the other's answers. */
  readonly inboxPrefix: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What this process is called among those that share its work; never the same twice. */
  readonly newId: () => string;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  /** A process that has not shown itself for this long loses its partitions to others. */
  readonly leaseMs: number;
  /** Fixed at a deployment's first start: another number would tear keys apart. */
  readonly partitions: number;
  readonly failurePauseMs: number;
  readonly requestTimeoutMs: number;
  /** A link that is dead without a word is noticed after about three of these. */
  readonly pingMs: number;
  /** How long an operation waits for a server that is away before it rejects with "unavailable". */
  readonly operationTimeoutMs: number;
  /** health() is not ok while some process does not read all of these. */
  readonly requiredReaders: readonly RequiredReader[];
}

export type NatsBackboneOptions = Pick<NatsOptions, "servers"> & Partial<NatsOptions>;

/** Fills in what was left out. Refuses, with advice, what could not work. */
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
    if (!Number.isInteger(value) || value < 1) throw wrong(`${limit}: ${value} is no whole number above 0`);
  }
  if (options.partitions > MOST_PARTITIONS) throw wrong(`partitions: ${MOST_PARTITIONS} is the most`);
  if (![1, 3, 5].includes(options.replicas)) throw wrong(`replicas: ${options.replicas}; use 1, 3 or 5`);
  return options;
};

/** Every partition of every durable is a consumer on the server. */
const MOST_PARTITIONS = 1_024;

const wrong = (what: string) => new AppError("bad-configuration", `NATS backbone: ${what}`);
