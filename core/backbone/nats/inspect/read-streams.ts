import type { PeerInfo, StreamInfo } from "nats";
import { reasonOf } from "../connection/nats-fault.ts";
import type { NatsSession } from "../connection/nats-session.ts";

export interface Replica {
  readonly node: string;
  readonly state: "leader" | "current" | "behind" | "offline";
}

export interface StreamState {
  /** The name of the bucket or stream. */
  readonly name: string;
  readonly kind: "stream" | "bucket";
  /** Configured number of replicas. */
  readonly wanted: number;
  /** Empty on a single server. */
  readonly replicas: readonly Replica[];
  /** Why it cannot store a write. */
  readonly problem?: string;
}

/** The streams and buckets of one deployment, sorted by name. */
export const readStreams = async (session: NatsSession, prefix: string): Promise<StreamState[]> => {
  const names: string[] = [];
  for await (const name of session.jsm.streams.names()) {
    if (name.startsWith(`${prefix}_`) || name.startsWith(`${BUCKET}${prefix}_`)) names.push(name);
  }
  // In parallel, so that timeouts do not add up.
  const states = await Promise.all(names.map((name) => readStream(session, name)));
  return states.sort((a, b) => (a.name < b.name ? -1 : 1));
};

export const readStream = async ({ jsm }: NatsSession, stream: string): Promise<StreamState> => {
  const isBucket = stream.startsWith(BUCKET);
  const name = isBucket ? stream.slice(BUCKET.length) : stream;
  const kind = isBucket ? "bucket" : "stream";
  try {
    return { name, kind, ...replicasOf(await jsm.streams.info(stream)) };
  } catch (error) {
    return { name, kind, wanted: 0, replicas: [], problem: `no answer (${reasonOf(error)})` };
  }
};

export const replicasOf = ({
  config,
  cluster,
}: Pick<StreamInfo, "config" | "cluster">): Pick<StreamState, "wanted" | "replicas" | "problem"> => {
  const wanted = config.num_replicas;
  if (cluster === undefined) return { wanted, replicas: [] };
  const { leader, replicas: followers = [] } = cluster;
  const replicas: Replica[] = followers.map((peer) => ({ node: peer.name, state: stateOf(peer) }));
  if (leader) return { wanted, replicas: [{ node: leader, state: "leader" }, ...replicas] };
  return { wanted, replicas, problem: "no leader" };
};

/** The server reports a killed node as current for up to ten seconds; a running node contacts the leader every second. */
const stateOf = ({ current, offline, active, lag }: PeerInfo): Replica["state"] => {
  if (offline || active > SILENT_NANOS) return "offline";
  return current && !lag ? "current" : "behind";
};

const BUCKET = "KV_";
const SILENT_NANOS = 5_000_000_000;
