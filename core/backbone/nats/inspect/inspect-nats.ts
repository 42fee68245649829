import { checkJetStream, openSession } from "../connection/dial-nats.ts";
import { isBusy, isDenied, isInterruption, natsFault, reasonOf } from "../connection/nats-fault.ts";
import type { NatsBackboneOptions, NatsOptions } from "../connection/nats-options.ts";
import { natsOptions } from "../connection/nats-options.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import { type NatsNames, natsNames } from "../nats-names.ts";
import { publishAcked } from "../wire/jetstream-requests.ts";
import { messageHeaders } from "../wire/message-headers.ts";
import { type AskedNodes, askNodes } from "./ask-nodes.ts";
import { readStream, readStreams, type StreamState } from "./read-streams.ts";

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
      const found = await look(session, options);
      const isComplete = found.noLeader === undefined && found.streams.every(({ problem }) => problem === undefined);
      if (isComplete || clock.monotonic() >= retryUntil) return { ...nodes, ...found };
      await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
    }
  } finally {
    await session.nc.close();
  }
};

type Look = Pick<NatsInspection, "noLeader" | "notStored" | "streams">;

const look = async (session: NatsSession, options: NatsOptions): Promise<Look> => {
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
    await publishAcked(session, `$KV.${names.healthBucket}.probe`, Buffer.from("{}"), messageHeaders({}));
    return undefined;
  } catch (error) {
    return isDenied(error) ? undefined : reasonOf(error);
  }
};

/** The last look begins before RETRY_MS and waits for at most two answers, so that ten seconds suffice. */
const RETRY_MS = 5_500;
const REQUEST_TIMEOUT_MS = 2_000;
const PAUSE_MS = 250;
