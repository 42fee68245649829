import type { StreamInfo } from "nats";
import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { refuseNewerData } from "../data-format.ts";
import { mayStoreConflicts } from "./conflicting-writes.ts";
import { isLostRace, isNotClustered, isWithoutPlacement, reasonOf } from "./connection/nats-fault.ts";
import type { NatsOptions } from "./connection/nats-options.ts";
import { type NatsSession, shownServers } from "./connection/nats-session.ts";
import type { KvBucket } from "./kv/kv-bucket.ts";

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

const Layout = z.looseObject({
  partitions: z.number().int(),
  /** DATA_FORMAT of the newest version that has run alone; absent in deployments of 0.1.0. */
  format: z.number().int().optional(),
  /** A restore has begun and not ended: the data is incomplete. */
  restoring: z.boolean().optional(),
});

/** Processes with different numbers of partitions would run a key twice, so the first process's number is stored. */
export const checkLayout = async (session: NatsSession, bucket: KvBucket, partitions: number): Promise<void> => {
  const found = (await bucket.readOn(session, LAYOUT_KEY)) ?? (await createLayout(session, bucket, partitions));
  const layout = layoutIn(found);
  const stored = layout?.partitions;
  refuseNewerData("this NATS deployment", layout?.format ?? 0, "bad-configuration");
  if (layout?.restoring) {
    throw new AppError(
      "data-unusable",
      'a restore of this NATS deployment was interrupted: run "mooring restore FILE --force" again',
    );
  }
  if (stored === partitions) return;
  throw new AppError(
    "bad-configuration",
    `this NATS deployment has ${stored ?? "an unknown number of"} partitions, not ${partitions}; ` +
      `set nats.partitions to ${stored ?? "its original number"}, or use another prefix`,
  );
};

export const layoutIn = (entry: { readonly data: Uint8Array } | undefined): z.infer<typeof Layout> | undefined =>
  Layout.safeParse(JSON.parse(Buffer.from(entry?.data ?? []).toString() || "null")).data;

/** Keeps processes from starting while a restore writes, and after it was interrupted. */
export const markRestore = async (bucket: KvBucket, partitions: number, restoring: boolean): Promise<void> => {
  await bucket.write(LAYOUT_KEY, Buffer.from(JSON.stringify({ partitions, ...(restoring && { restoring }) })));
};

const createLayout = async (session: NatsSession, bucket: KvBucket, partitions: number) => {
  try {
    await bucket.createOn(session, LAYOUT_KEY, Buffer.from(JSON.stringify({ partitions })));
  } catch (error) {
    if (!isLostRace(error)) throw error;
  }
  return bucket.readOn(session, LAYOUT_KEY);
};

/** No group has this key: keys of groups have two parts. */
export const LAYOUT_KEY = "layout";
