import type { PeerInfo, ServerInfo, StreamInfo } from "nats";
import { type AppError, messageOf } from "../../contract/app-error.ts";
import { isBusy, isDenied, isInterruption, natsFault, reasonOf } from "./connection/nats-fault.ts";
import { type NatsBackboneOptions, type NatsOptions, natsOptions } from "./connection/nats-options.ts";
import { checkJetStream, type NatsSession, openSession } from "./connection/nats-session.ts";
import { entryHeaders } from "./kv/bucket-entry.ts";
import { type NatsNames, natsNames } from "./nats-names.ts";
import { publishAcked } from "./wire/jetstream-requests.ts";

export interface NatsInspection extends AskedNodes {
  /** JetStream has no leader: no stream can be created, and writes may fail. */
  readonly noLeader?: string;
  /** The servers did not confirm a write. */
  readonly notStored?: string;
  /** The streams of this deployment. Without a leader at most one, which names the nodes. */
  readonly streams: readonly StreamState[];
}

/**
 * Finds the servers, their streams and replicas, and whether they store a write. Ends within ten seconds, also if servers
 * are silent. Rejects as a connection does: unreachable, refused, no JetStream.
 */
export const inspectNats = async (given: NatsBackboneOptions): Promise<NatsInspection> => {
  const options = natsOptions({ ...given, requestTimeoutMs: REQUEST_TIMEOUT_MS });
  const { clock } = options;
  const startedAt = clock.monotonic();
  const nodes = await askNodes(options);
  const scheme = options.servers[0]?.startsWith("tls:") ? "tls" : "nats";
  const servers = nodes.answering.map(({ address }) => `${scheme}://${address}`);
  const session = await openSession({ ...options, servers });
  // After the loss of a node, elections take some seconds. Without a majority there is no election to wait for.
  const mayElect = nodes.answering.length > nodes.silent.length;
  const retryUntil = mayElect ? startedAt + RETRY_MS : startedAt;
  try {
    for (;;) {
      const found = await inspectOnce(session, options);
      const isComplete = found.noLeader === undefined && found.streams.every(({ problem }) => problem === undefined);
      if (isComplete || clock.monotonic() >= retryUntil) return { ...nodes, ...found };
      await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
    }
  } finally {
    await session.nc.close();
  }
};

type Findings = Pick<NatsInspection, "noLeader" | "notStored" | "streams">;

const inspectOnce = async (session: NatsSession, options: NatsOptions): Promise<Findings> => {
  const names = natsNames(options.prefix);
  try {
    await checkJetStream(session, options);
    const streams = await readStreams(session, options.prefix);
    const notStored = await tryWrite(session, names, streams);
    return { streams, ...(notStored !== undefined && { notStored }) };
  } catch (error) {
    if (!isInterruption(error) && !isBusy(error)) throw natsFault(error, "asking JetStream");
    // Nodes answer a stream's info request without a leader.
    const known = await readStream(session, `KV_${names.partitionsBucket}`);
    return { noLeader: reasonOf(error), streams: known.replicas.length > 0 ? [known] : [] };
  }
};

/** A cluster can answer info requests for streams that it cannot write. Before the first start there is no bucket yet. */
const tryWrite = async (
  session: NatsSession,
  names: NatsNames,
  streams: readonly StreamState[],
): Promise<string | undefined> => {
  if (!streams.some(({ name, problem }) => name === names.healthBucket && problem === undefined)) return undefined;
  try {
    await publishAcked(session, `$KV.${names.healthBucket}.probe`, Buffer.from("{}"), entryHeaders({}));
    return undefined;
  } catch (error) {
    return isDenied(error) ? undefined : reasonOf(error);
  }
};

/** The last attempt begins before RETRY_MS and waits for at most two answers, so that ten seconds suffice. */
const RETRY_MS = 5_500;
const REQUEST_TIMEOUT_MS = 2_000;
const PAUSE_MS = 250;

export interface Replica {
  readonly node: string;
  readonly state: "leader" | "current" | "behind" | "offline";
}

export interface StreamState {
  /** The name of the bucket or stream. */
  readonly name: string;
  readonly kind: "stream" | "bucket";
  /** Configured number of replicas. */
  readonly configured: number;
  /** Empty on a single server. */
  readonly replicas: readonly Replica[];
  /** Why it cannot store a write. */
  readonly problem?: string;
}

/** The streams and buckets of one deployment, sorted by name. */
const readStreams = async (session: NatsSession, prefix: string): Promise<StreamState[]> => {
  const names: string[] = [];
  for await (const name of session.jsm.streams.names()) {
    if (name.startsWith(`${prefix}_`) || name.startsWith(`${BUCKET}${prefix}_`)) names.push(name);
  }
  // In parallel, so that timeouts do not add up.
  const states = await Promise.all(names.map((name) => readStream(session, name)));
  return states.sort((a, b) => (a.name < b.name ? -1 : 1));
};

const readStream = async ({ jsm }: NatsSession, stream: string): Promise<StreamState> => {
  const isBucket = stream.startsWith(BUCKET);
  const name = isBucket ? stream.slice(BUCKET.length) : stream;
  const kind = isBucket ? "bucket" : "stream";
  try {
    return { name, kind, ...replicasOf(await jsm.streams.info(stream)) };
  } catch (error) {
    return { name, kind, configured: 0, replicas: [], problem: `no answer (${reasonOf(error)})` };
  }
};

export const replicasOf = ({
  config,
  cluster,
}: Pick<StreamInfo, "config" | "cluster">): Pick<StreamState, "configured" | "replicas" | "problem"> => {
  const configured = config.num_replicas;
  if (cluster === undefined) return { configured, replicas: [] };
  const { leader, replicas: followers = [] } = cluster;
  const replicas: Replica[] = followers.map((peer) => ({ node: peer.name, state: stateOf(peer) }));
  if (leader) return { configured, replicas: [{ node: leader, state: "leader" }, ...replicas] };
  return { configured, replicas, problem: "no leader" };
};

/** The server reports a killed node as current for up to ten seconds; a running node contacts the leader every second. */
const stateOf = ({ current, offline, active, lag }: PeerInfo): Replica["state"] => {
  if (offline || active > SILENT_NANOS) return "offline";
  return current && !lag ? "current" : "behind";
};

const BUCKET = "KV_";
const SILENT_NANOS = 5_000_000_000;

interface AnsweringNode {
  readonly name: string;
  /** "host:port", as a client reaches it. */
  readonly address: string;
  readonly version: string;
}

interface SilentNode {
  readonly address: string;
  readonly reason: string;
}

interface AskedNodes {
  readonly answering: readonly AnsweringNode[];
  readonly silent: readonly SilentNode[];
  /** Absent: no node is part of a cluster. */
  readonly cluster: string | undefined;
}

type Answer = { server: string; info: ServerInfo } | { server: string; error: AppError };

/**
 * Connects to each configured server and to the cluster members that they advertise. Rejects if none answers, or if one
 * refuses the credentials.
 */
const askNodes = async (options: NatsOptions): Promise<AskedNodes> => {
  const configured = await Promise.all(options.servers.map((server) => ask(options, server)));
  const asked = new Set(configured.map(({ server }) => addressOf(server)));
  const advertised = new Set(
    configured
      .flatMap((answer) => ("info" in answer ? (answer.info.connect_urls ?? []) : []))
      .filter((url) => !asked.has(addressOf(url))),
  );
  const scheme = options.servers[0]?.startsWith("tls:") ? "tls" : "nats";
  const others = await Promise.all(
    [...advertised].slice(0, MAX_ADVERTISED).map((url) => ask(options, `${scheme}://${url}`)),
  );

  const failed = configured.flatMap((answer) => ("error" in answer ? [answer] : []));
  const refused = failed.find(({ error }) => error.code === "bad-configuration");
  if (refused) throw refused.error;
  const answering = new Map<string, AnsweringNode>();
  let cluster: string | undefined;
  for (const answer of [...configured, ...others]) {
    if (!("info" in answer)) continue;
    const { server_id, server_name, version } = answer.info;
    cluster ??= answer.info.cluster;
    // A server with several addresses advertises each one.
    if (!answering.has(server_id)) {
      answering.set(server_id, { name: server_name, address: addressOf(answer.server), version });
    }
  }
  if (answering.size === 0 && failed[0]) throw failed[0].error;
  return {
    answering: [...answering.values()],
    // Advertised addresses may be private to the cluster, so only configured servers count as silent.
    silent: failed.map(({ server, error }) => ({ address: addressOf(server), reason: messageOf(error.cause) })),
    cluster,
  };
};

const ask = async (options: NatsOptions, server: string): Promise<Answer> => {
  try {
    const { nc } = await openSession({ ...options, servers: [server] });
    const { info } = nc;
    await nc.close();
    if (info) return { server, info };
    throw new Error("no INFO");
  } catch (error) {
    return { server, error: error as AppError };
  }
};

const addressOf = (server: string): string => server.replace(/^\w+:\/\//, "").replace(/\/$/, "");

const MAX_ADVERTISED = 16;
