import { join } from "node:path";
import Database from "libsql";
import { connect, type NatsConnection } from "nats";
import { allStreams } from "./jetstream-export.ts";

/** The contents of one collection, or of one family of messages, in a fixture. */
export interface Kind {
  readonly count: number;
  /** Values of the fields that distinguish variants. */
  readonly variants: Readonly<Record<string, readonly string[]>>;
}

export interface Contents {
  readonly collections: Readonly<Record<string, Kind>>;
  readonly messages: Readonly<Record<string, Kind>>;
}

interface Row {
  readonly name: string;
  readonly json: string;
}

const TELLING = new Set(["state", "status", "kind", "mode", "outcome", "type", "quiet", "madeIn", "trigger", "event"]);

export const contentsOfFolder = (dataDir: string): Contents => {
  const { collections, messages } = rowsOfFolder(dataDir);
  return { collections: kindsOf(collections), messages: kindsOf(messages) };
};

/** Every record and every message as JSON. Opening the database changes its files. */
export const rowsOfFolder = (dataDir: string): { collections: readonly Row[]; messages: readonly Row[] } => {
  const database = new Database(join(dataDir, "mooring.db"));
  try {
    const rows = (sql: string) => database.prepare(sql).all() as Row[];
    const messages = rows("SELECT subject AS name, body AS json FROM messages");
    return {
      collections: rows("SELECT collection AS name, value AS json FROM entries"),
      messages: messages.map(({ name, json }) => ({ name: family(name), json })),
    };
  } finally {
    database.close();
  }
};

/** The streams of a deployment with the default prefix. */
export const contentsOfStreams = async (url: string): Promise<Contents> => {
  const nc = await connect({ servers: url });
  try {
    const collections: Row[] = [];
    const messages: Row[] = [];
    for (const { config, state } of await allStreams(await nc.jetstreamManager())) {
      const isBucket = config.name.startsWith("KV_");
      const name = config.name.replace(/^(KV_)?mooring_/, "");
      for (const { subject, json } of await messagesIn(nc, config.name, state.first_seq, state.last_seq)) {
        if (json === "") continue;
        if (isBucket) collections.push({ name, json });
        else messages.push({ name: family(subject.replace(/^mooring\./, "").replace(/\.\d+$/, "")), json });
      }
    }
    return { collections: kindsOf(collections), messages: kindsOf(messages) };
  } finally {
    await nc.close();
  }
};

const messagesIn = async (nc: NatsConnection, stream: string, first: number, last: number) => {
  const jsm = await nc.jetstreamManager();
  const found: { subject: string; json: string }[] = [];
  for (let seq = first; seq <= last; seq++) {
    // A bucket keeps the last revision of each key only.
    const stored = await jsm.streams.getMessage(stream, { seq }).catch(() => undefined);
    if (stored !== undefined) found.push({ subject: stored.subject, json: Buffer.from(stored.data).toString() });
  }
  return found;
};

/** "default.user.message.mooring" is a message of the family "user.message". */
const family = (subject: string): string => subject.split(".").slice(1, -1).join(".");

const kindsOf = (rows: readonly Row[]): Record<string, Kind> => {
  const names = [...new Set(rows.map(({ name }) => name))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const own = rows.filter((row) => row.name === name);
      return [name, { count: own.length, variants: variantsIn(own) }];
    }),
  );
};

const variantsIn = (rows: readonly Row[]): Record<string, string[]> => {
  const found = new Map<string, Set<string>>();
  for (const { json } of rows) {
    for (const [field, value] of Object.entries(JSON.parse(json) as object)) {
      if (!TELLING.has(field) || typeof value !== "string") continue;
      found.set(field, (found.get(field) ?? new Set()).add(value));
    }
  }
  return Object.fromEntries([...found].sort().map(([field, values]) => [field, [...values].sort()]));
};
