import type { StreamInfo } from "nats";
import { AppError } from "../../contract/app-error.ts";
import { mayStoreConflicts } from "./conflicting-writes.ts";
import { shownServers } from "./dial-nats.ts";
import type { KvBucket } from "./kv-bucket.ts";
import { isNotClustered, isWithoutPlacement, reasonOf } from "./nats-fault.ts";
import type { NatsOptions } from "./nats-options.ts";
import type { NatsSession } from "./nats-session.ts";

/**
 * Rejects with "bad-configuration" if there are fewer servers than replicas, because waiting would not help. A node that
 * is only down rejects with "unavailable", and only if the deployment has no stream yet: streams that exist need a majority.
 */
export const checkReplicas = async (
  session: NatsSession,
  bucket: Pick<KvBucket, "ensureOn">,
  options: NatsOptions,
): Promise<void> => {
  if (options.replicas === 1) return;
  const { cluster } = await created(session, bucket, options);
  if (cluster === undefined) throw singleServer(options);
  const version = session.nc.info?.version ?? "";
  if (mayStoreConflicts(version))
    options.logger.warn({ version }, "NATS cluster may store conflicting writes, upgrade it");
};

/** Nodes that start together find each other within a few seconds, so a missing placement is retried that long. */
const created = async (
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

/** Servers from 2.10 say that a peer is offline; older ones do not, but an operator who names all nodes counts them. */
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
