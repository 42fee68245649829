import type { JetStreamManager, NatsConnection, StreamConfig, StreamState } from "nats";
import { connect, createInbox, Empty, JSONCodec } from "nats";

/** One stream as the server exports it: messages with their sequences and times, and its consumers with their progress. */
export interface ExportedStream {
  /** The configuration of the stream, as the product created it. */
  readonly config: StreamConfig;
  readonly state: StreamState;
  /** The server's own snapshot, base64. */
  readonly snapshot: string;
}

interface SnapshotAnswer {
  readonly config: StreamConfig;
  readonly state: StreamState;
  readonly error?: { readonly description: string };
}
interface RestoreAnswer {
  readonly deliver_subject: string;
  readonly error?: { readonly description: string };
}

const json = JSONCodec<unknown>();
const CHUNK_BYTES = 64 * 1024;
const TIMEOUT_MS = 30_000;

/**
 * Every stream of the server, by its snapshot API. A snapshot carries its own configuration, and a server drops expired
 * messages as soon as it restores one, so each stream's age limit is lifted before: the fixture must load years later.
 */
export const exportStreams = async (url: string): Promise<ExportedStream[]> => {
  const nc = await connect({ servers: url });
  try {
    const jsm = await nc.jetstreamManager();
    const exported: ExportedStream[] = [];
    for (const { config } of await allStreams(jsm)) {
      await jsm.streams.update(config.name, { ...config, max_age: 0 });
      exported.push({ ...(await snapshot(nc, config.name)), config });
    }
    return exported.sort((one, other) => (one.config.name < other.config.name ? -1 : 1));
  } finally {
    await nc.close();
  }
};

export const restoreStreams = async (url: string, streams: readonly ExportedStream[]): Promise<void> => {
  const nc = await connect({ servers: url });
  try {
    for (const stream of streams) await restore(nc, stream);
  } finally {
    await nc.close();
  }
};

export const allStreams = async (jsm: JetStreamManager) => {
  const found: { config: StreamConfig; state: StreamState }[] = [];
  for await (const info of jsm.streams.list()) found.push(info);
  return found;
};

const snapshot = async (nc: NatsConnection, name: string): Promise<Omit<ExportedStream, "config">> => {
  const inbox = createInbox();
  const chunks: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    nc.subscribe(inbox, {
      callback: (error, message) => {
        if (error) return reject(error);
        if (message.data.length === 0) return resolve();
        chunks.push(Buffer.from(message.data));
        message.respond(Empty);
      },
    });
  });
  const request = json.encode({ deliver_subject: inbox, chunk_size: CHUNK_BYTES });
  const reply = await nc.request(`$JS.API.STREAM.SNAPSHOT.${name}`, request, { timeout: TIMEOUT_MS });
  const answer = json.decode(reply.data) as SnapshotAnswer;
  if (answer.error) throw new Error(`${name} could not be exported: ${answer.error.description}`);
  await done;
  return { state: answer.state, snapshot: Buffer.concat(chunks).toString("base64") };
};

const restore = async (nc: NatsConnection, { config, state, snapshot }: ExportedStream): Promise<void> => {
  const request = json.encode({ config: { ...config, max_age: 0 }, state });
  const reply = await nc.request(`$JS.API.STREAM.RESTORE.${config.name}`, request, { timeout: TIMEOUT_MS });
  const { deliver_subject: to, error } = json.decode(reply.data) as RestoreAnswer;
  if (error) throw new Error(`${config.name} could not be restored: ${error.description}`);
  const bytes = Buffer.from(snapshot, "base64");
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    await nc.request(to, bytes.subarray(at, at + CHUNK_BYTES), { timeout: TIMEOUT_MS });
  }
  const end = await nc.request(to, Empty, { timeout: TIMEOUT_MS });
  const { error: refused } = json.decode(end.data) as RestoreAnswer;
  if (refused) throw new Error(`${config.name} could not be restored: ${refused.description}`);
};
