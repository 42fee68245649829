import { createHash } from "node:crypto";
import type { Subject } from "../../contract/subject.ts";
import { stableHash } from "./stable-hash.ts";

/** The one place where streams, buckets, consumers and NATS subjects are spelled. */
export const natsNames = (prefix: string) => ({
  stream: (family: string) => `${prefix}_${family.replaceAll(".", "_")}`,
  streamSubject: (family: string) => `${prefix}.*.${family}.>`,
  message: (subject: Subject<unknown>, partition: number) => `${prefix}.${subject.name}.${partition}`,
  /** A prefix holds no "_", so this lies outside of every stream. */
  signal: (subject: Subject<unknown>) => `${prefix}_signal.${subject.name}`,
  bucket: (collection: string) => `${prefix}_${collection}`,
  /** Collections have no "_" in their names, so these are never one of them. */
  membersBucket: `${prefix}_bus_members`,
  partitionsBucket: `${prefix}_bus_partitions`,
  healthBucket: `${prefix}_bus_health`,
});
export type NatsNames = ReturnType<typeof natsNames>;

/** One durable on one subject. Readable for operators, unique by its hash, and short whatever the durable is called. */
export const groupName = (durable: string, subject: Subject<unknown>): string => {
  const hash = createHash("sha256").update(JSON.stringify([durable, subject.name]));
  const readable = durable.replaceAll(/[^A-Za-z0-9-]+/g, "-").slice(0, 32);
  return `${readable}_${hash.digest("base64url").slice(0, 16)}`;
};

export const consumerName = (group: string, partition: number, generation: number): string =>
  `${group}_${partition}_g${generation}`;

export const partitionOf = (key: string, partitions: number): number => stableHash(key) % partitions;
