import { z } from "zod";
import { partitionOf } from "./assign-partitions.ts";

/** The facts on which all processes of a deployment must agree. */
const StoredLayout = z.looseObject({
  /** The number of partitions until it is raised. Afterwards absent, so that versions up to 0.2 refuse to start. */
  partitions: z.number().int().positive().optional(),
  /** The first number of partitions and each raised one. */
  counts: z.array(z.number().int().positive()).min(1).optional(),
  /** DATA_FORMAT of the newest version that has run alone; absent in deployments of 0.1.0. */
  format: z.number().int().optional(),
  /** A restore has begun and not ended: the data is incomplete. */
  restoring: z.boolean().optional(),
});

export interface DeploymentLayout {
  /** Numbers of partitions, from the first one to the current one; each is a multiple of the one before. */
  readonly counts: readonly number[];
  readonly format?: number | undefined;
  readonly restoring?: boolean | undefined;
}

export const layoutIn = (entry: { readonly data: Uint8Array } | undefined): DeploymentLayout | undefined => {
  const json = Buffer.from(entry?.data ?? []).toString() || "null";
  const { partitions, counts, ...rest } = StoredLayout.safeParse(JSON.parse(json)).data ?? {};
  const known = counts ?? (partitions === undefined ? undefined : [partitions]);
  return known && { ...rest, counts: known };
};

export const encodeLayout = ({ counts, ...rest }: DeploymentLayout): Uint8Array =>
  Buffer.from(JSON.stringify({ ...(counts.length === 1 ? { partitions: counts[0] } : { counts }), ...rest }));

/** No group has this key: keys of groups have two parts. */
export const LAYOUT_KEY = "layout";

/** The number of partitions, as this process knows it. */
export class PartitionLayout {
  #counts: readonly number[];

  constructor(counts: readonly number[]) {
    this.#counts = counts;
  }

  get counts(): readonly number[] {
    return this.#counts;
  }

  /** The first number, which never changes. Publishers write its partition into the subject of a message. */
  get wire(): number {
    return this.#counts[0] ?? 1;
  }

  get current(): number {
    return this.#counts.at(-1) ?? 1;
  }

  get isRaised(): boolean {
    return this.#counts.length > 1;
  }

  /** The counts that a new connection has found. */
  set(counts: readonly number[]): void {
    this.#counts = counts;
  }

  /** True if the number was raised. */
  learn(counts: readonly number[]): boolean {
    if (counts.length <= this.#counts.length) return false;
    this.#counts = counts;
    return true;
  }

  /** The partition that has the key, of this number of partitions; the message was published to `subject`. */
  partitionFor(key: string, subject: number, of: number): number {
    return subPartition(key, subject, this.wire, of);
  }

  /** The partition whose keys it shares since a raise, and the number of partitions of that raise. */
  parentOf(partition: number): { readonly partition: number; readonly of: number } | undefined {
    const index = this.#counts.findIndex((count) => count > partition);
    const [before, of] = [this.#counts[index - 1], this.#counts[index]];
    return before === undefined || of === undefined ? undefined : { partition: partition % before, of };
  }
}

/**
 * Each partition of a multiple `of` has a part of the keys of one partition of `wire`. A foreign publisher may have chosen
 * a subject that does not fit the key; its messages have one partition all the same.
 */
export const subPartition = (key: string, subject: number, wire: number, of: number): number => {
  const fine = partitionOf(key, of);
  return subject + (fine - (fine % wire));
};

/** Each message is delivered to all partitions that share its subject, so a raise beyond this would cost too much. */
export const MAX_RAISE = 8;

/** Only to a multiple, so that each partition is split into parts that no other partition has. */
export const canRaise = (counts: readonly number[], to: number): boolean => {
  const [first = 0, current = 0] = [counts[0], counts.at(-1)];
  return to > current && to % current === 0 && to <= MAX_RAISE * first;
};
