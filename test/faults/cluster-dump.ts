import { connect, type JetStreamManager, type StreamInfo } from "nats";

/** The records of partitions, delegated work and reminders. */
const RECORDS = /^KV_\w+_(bus_members|bus_partitions|subtasks|subtask-owners|schedules|schedule-runs|schedule-due)$/;
const MAX_CHARACTERS = 500;
/** Batches are printed completely, because their end shows which member was counted. */
const SHOWN_WHOLE = /_subtask-owners$/;

/** Dumps queues, their consumers and these records of the cluster, to find the cause of a loss. */
export const dumpCluster = async (servers: string[]): Promise<string> => {
  const connection = await connect({ servers, timeout: 5_000 });
  try {
    const lines: string[] = [];
    const jsm = await connection.jetstreamManager();
    for await (const stream of jsm.streams.list()) lines.push(...(await describeStream(jsm, stream)));
    return lines.join("\n");
  } finally {
    await connection.close();
  }
};

const describeStream = async (jsm: JetStreamManager, { config, state, cluster }: StreamInfo): Promise<string[]> => {
  const { name } = config;
  const isQueue = !name.startsWith("KV_");
  const lines = [`${name}: ${state.messages} messages, last ${state.last_seq}, led by ${cluster?.leader}`];
  if (isQueue || RECORDS.test(name)) lines.push(...(await storedIn(jsm, name, state)));
  if (!isQueue) return lines;
  for await (const consumer of jsm.consumers.list(name)) {
    const { num_pending, num_ack_pending, num_waiting, delivered, ack_floor } = consumer;
    const counts = `pending ${num_pending}, unacknowledged ${num_ack_pending}, pulls ${num_waiting}`;
    lines.push(`  ${consumer.name}: ${counts}, delivered ${delivered.stream_seq}, done to ${ack_floor.stream_seq}`);
  }
  return lines;
};

const storedIn = async (
  jsm: JetStreamManager,
  stream: string,
  { first_seq, last_seq }: StreamInfo["state"],
): Promise<string[]> => {
  const lines: string[] = [];
  for (let seq = Math.max(1, first_seq); seq <= last_seq; seq++) {
    const stored = await jsm.streams.getMessage(stream, { seq }).catch(() => undefined);
    if (stored === undefined) continue;
    const headers = stored.header?.keys().map((name) => `${name}=${stored.header?.get(name)}`) ?? [];
    const value = SHOWN_WHOLE.test(stream) ? stored.string() : stored.string().slice(0, MAX_CHARACTERS);
    lines.push([`  ${seq}`, stored.time.toISOString(), stored.subject, ...headers, value].join(" "));
  }
  return lines;
};
