import { createHash } from "node:crypto";
import type { Subject } from "../../contract/ports/subject.ts";

/** All names of streams, buckets, consumers and NATS subjects. */
export const natsNames = (prefix: string) => ({
  stream: (family: string) => `${prefix}_${family.replaceAll(".", "_")}`,
  streamSubject: (family: string) => `${prefix}.*.${family}.>`,
  message: (subject: Subject<unknown>, partition: number) => `${prefix}.${subject.name}.${partition}`,
  /** A prefix contains no "_", so no stream stores these subjects. */
  signal: (subject: Subject<unknown>) => `${prefix}_signal.${subject.name}`,
  bucket: (collection: string) => `${prefix}_${collection}`,
  /** Names of collections contain no "_", so these never collide with one. */
  membersBucket: `${prefix}_bus_members`,
  beatsBucket: `${prefix}_bus_beats`,
  partitionsBucket: `${prefix}_bus_partitions`,
  healthBucket: `${prefix}_bus_health`,
});
export type NatsNames = ReturnType<typeof natsNames>;

/** A subject is the tenant, the family and one part, an agent or a channel. */
export const familyIn = (subject: string): string => subject.split(".").slice(1, -1).join(".");

/** The name of one durable on one subject: readable for operators, unique by its hash, limited in length. */
export const groupName = (durable: string, subject: Pick<Subject<unknown>, "name">): string => {
  const hash = createHash("sha256").update(JSON.stringify([durable, subject.name]));
  const readable = durable.replaceAll(/[^A-Za-z0-9-]+/g, "-").slice(0, 32);
  return `${readable}_${hash.digest("base64url").slice(0, 16)}`;
};

export const consumerName = (group: string, partition: number, generation: number): string =>
  `${group}_${partition}_g${generation}`;
