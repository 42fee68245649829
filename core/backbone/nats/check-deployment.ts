import type { StreamInfo } from "nats";
import { AppError } from "../../contract/app-error.ts";
import { refuseNewerData } from "../data-format.ts";
import { mayStoreConflicts } from "./conflicting-writes.ts";
import { isLostRace, isNotClustered, isWithoutPlacement, reasonOf } from "./connection/nats-fault.ts";
import type { NatsOptions } from "./connection/nats-options.ts";
import { type NatsSession, shownServers } from "./connection/nats-session.ts";
import type { KvBucket } from "./kv/kv-bucket.ts";
import { canRaise, encodeLayout, LAYOUT_KEY, layoutIn, MAX_RAISE, type PartitionLayout } from "./partitions/index.ts";

/**
 * Rejects with "bad-configuration" if the cluster has fewer nodes than replicas, because a retry cannot help. Rejects with
 * "unavailable" if a node is down and the deployment has no stream yet; existing streams need only a majority.
 */
export const checkReplicas = async (
  session: NatsSession,
  bucket: Pick<KvBucket, "ensureOn">,
  options: NatsOptions,
): Promise<void> => {
  if (options.replicas === 1) return;
  const { cluster } = await ensureBucket(session, bucket, options);
  if (cluster === undefined) throw singleServer(options);
  const version = session.nc.info?.version ?? "";
  if (mayStoreConflicts(version))
    options.logger.warn({ version }, "NATS cluster may store conflicting writes, upgrade it");
};

/** Nodes that start together form the cluster within a few seconds, so a missing placement is retried that long. */
const ensureBucket = async (
  session: NatsSession,
  bucket: Pick<KvBucket, "ensureOn">,
  options: NatsOptions,
): Promise<StreamInfo> => {
  const { clock } = options;
  const deadline = clock.monotonic() + PLACEMENT_TIMEOUT_MS;
  for (;;) {
    try {
      return await bucket.ensureOn(session);
    } catch (error) {
      if (isNotClustered(error)) throw singleServer(options, error);
      if (!isWithoutPlacement(error)) throw error;
      if (isNodeDown(error, options)) throw nodeDown(options, error);
      if (clock.monotonic() >= deadline) throw smallCluster(session, options, error);
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
    }
  }
};

/** Servers from 2.10 report an offline peer. For older ones the number of configured servers decides. */
const isNodeDown = (error: unknown, { servers, replicas }: NatsOptions): boolean =>
  /offline/.test(reasonOf(error)) || servers.length >= replicas;

const singleServer = ({ replicas, servers }: NatsOptions, cause?: unknown): AppError =>
  new AppError(
    "bad-configuration",
    `backbone.nats.replicas is ${replicas}, but NATS at ${shownServers(servers)} is a single server; ` +
      `set nats.replicas to 1 or run a cluster of at least ${replicas} nodes`,
    { cause },
  );

const smallCluster = ({ nc }: NatsSession, { replicas }: NatsOptions, cause: unknown): AppError =>
  new AppError(
    "bad-configuration",
    `backbone.nats.replicas is ${replicas}, but the NATS cluster "${nc.info?.cluster ?? ""}" has fewer nodes with ` +
      `JetStream (${reasonOf(cause)}); set nats.replicas to 1 or run at least ${replicas} nodes`,
    { cause },
  );

const nodeDown = ({ replicas }: NatsOptions, cause: unknown): AppError =>
  new AppError(
    "unavailable",
    `NATS cannot place ${replicas} replicas of a new stream (${reasonOf(cause)}): a node is down, start it; ` +
      `if the cluster has fewer than ${replicas} nodes, set nats.replicas to 1`,
    { cause },
  );

const PLACEMENT_TIMEOUT_MS = 5_000;
const RETRY_MS = 500;

/**
 * Processes that publish to different numbers of partitions would run a key twice, so the first number is stored. A
 * configured multiple of the current number is a wish to raise it (PartitionRaise), an earlier number an old configuration.
 */
export const checkLayout = async (
  session: NatsSession,
  bucket: KvBucket,
  partitions: number,
  layout: PartitionLayout,
): Promise<void> => {
  const found = layoutIn(
    (await bucket.readOn(session, LAYOUT_KEY)) ?? (await createLayout(session, bucket, partitions)),
  );
  refuseNewerData("this NATS deployment", found?.format ?? 0, "bad-configuration");
  if (found?.restoring) {
    throw new AppError(
      "data-unusable",
      'a restore of this NATS deployment was interrupted: run "mooring restore FILE --force" again',
    );
  }
  if (found === undefined || !isUsable(found.counts, partitions)) throw otherNumber(found?.counts, partitions);
  layout.set(found.counts);
};

const isUsable = (counts: readonly number[], partitions: number): boolean =>
  counts.includes(partitions) || canRaise(counts, partitions);

const otherNumber = (counts: readonly number[] | undefined, partitions: number): AppError => {
  const current = counts?.at(-1);
  const most = MAX_RAISE * (counts?.[0] ?? 0);
  const higher = current !== undefined && 2 * current <= most;
  return new AppError(
    "bad-configuration",
    `this NATS deployment has ${current ?? "an unknown number of"} partitions, not ${partitions}; ` +
      `set nats.partitions to ${current ?? "its original number"}` +
      `${higher ? `, or to a multiple of it up to ${most} to raise the number` : ""}, or use another prefix`,
  );
};

/** Keeps processes from starting while a restore writes, and after it was interrupted. */
export const markRestore = async (bucket: KvBucket, partitions: number, restoring: boolean): Promise<void> => {
  await bucket.write(LAYOUT_KEY, encodeLayout({ counts: [partitions], ...(restoring && { restoring }) }));
};

const createLayout = async (session: NatsSession, bucket: KvBucket, partitions: number) => {
  try {
    await bucket.createOn(session, LAYOUT_KEY, encodeLayout({ counts: [partitions] }));
  } catch (error) {
    if (!isLostRace(error)) throw error;
  }
  return bucket.readOn(session, LAYOUT_KEY);
};
