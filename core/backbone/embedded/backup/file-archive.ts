import { copyFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../../../contract/app-error.ts";
import { decodeToken, encodeToken } from "../../../contract/ports/token.ts";
import type { ArchivedDurable, ArchivedEntry, ArchivedMessage, ArchiveReader, ArchiveWriter } from "../../archive.ts";
import { Database } from "../file/database.ts";
import { inspectDataFile, partialFolder, refuseTarget, writeWhole } from "./data-file.ts";

interface WriteOptions {
  readonly file: string;
  /** Replace the file if it exists. */
  readonly force: boolean;
}

/** Creates a file that the embedded backbone can use. Returns its size in bytes, once it is complete and on disk. */
export const writeArchive = async (
  { file, force }: WriteOptions,
  fill: (archive: ArchiveWriter) => Promise<void>,
): Promise<number> => {
  const target = resolve(file);
  refuseTarget(target, force);
  const folder = partialFolder(target);
  try {
    const archive = new FileArchiveWriter(folder);
    try {
      await fill(archive);
      archive.flush();
    } finally {
      archive.close();
    }
    writeWhole(target, (partial) => {
      copyFileSync(join(folder, "mooring.db"), partial);
      inspectDataFile(partial);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return statSync(target).size;
};

/** Passes the content of a backup, or of a stopped embedded backbone, to `use`. The file itself is not changed. */
export const readArchive = async <R>(
  file: string,
  now: number,
  use: (archive: ArchiveReader) => Promise<R>,
): Promise<R> => {
  const source = resolve(file);
  if (!statSync(source, { throwIfNoEntry: false })?.isFile()) {
    throw new AppError("not-found", `${source} is not a file: name the backup to restore`);
  }
  inspectDataFile(source);
  // A copy, because a backup of an older version is migrated when it is opened.
  const folder = partialFolder(source);
  try {
    copyFileSync(source, join(folder, "mooring.db"));
    const database = new Database(folder);
    try {
      return await use(new FileArchiveReader(database, now));
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

class FileArchiveWriter implements ArchiveWriter {
  readonly #database: Database;
  readonly #sql: ReturnType<typeof writing>;
  readonly #durables = new Map<string, number>();
  #waiting: (() => void)[] = [];
  #last = 0;

  constructor(folder: string) {
    this.#database = new Database(folder);
    this.#sql = writing(this.#database);
  }

  put({ collection, key, value, expiresAt }: ArchivedEntry): void {
    this.#later(() => this.#sql.put.run(collection, key, ++this.#last, expiresAt ?? null, value));
  }

  remove(collection: string, key: string): void {
    this.#later(() => this.#sql.remove.run(collection, key));
  }

  durable({ subject, name }: ArchivedDurable): void {
    const id = ++this.#last;
    this.#durables.set(durableKey(subject, name), id);
    this.#later(() => this.#sql.durable.run(id, subject, encodeToken(name)));
  }

  message({ subject, id, key, publishedAt, body, openFor }: ArchivedMessage): void {
    const seq = ++this.#last;
    this.#later(() => {
      this.#sql.message.run(
        seq,
        subject,
        key === undefined ? null : encodeToken(key),
        encodeToken(id),
        publishedAt,
        body,
      );
      for (const name of openFor) {
        const durable = this.#durables.get(durableKey(subject, name));
        if (durable !== undefined) this.#sql.pending.run(durable, seq);
      }
    });
  }

  flush(): void {
    const work = this.#waiting;
    this.#waiting = [];
    this.#database.transaction(() => {
      for (const write of work) write();
      this.#sql.reserve.run(this.#last);
    });
  }

  close(): void {
    this.#database.close();
  }

  #later(write: () => void): void {
    this.#waiting.push(write);
    if (this.#waiting.length >= PAGE) this.flush();
  }
}

class FileArchiveReader implements ArchiveReader {
  readonly #sql: ReturnType<typeof reading>;
  readonly #now: number;

  constructor(database: Database, now: number) {
    this.#sql = reading(database);
    this.#now = now;
  }

  *entries(): Iterable<ArchivedEntry> {
    for (let after = 0; ; ) {
      const rows = this.#sql.entries.all(after, this.#now);
      for (const [row, collection, key, expiresAt, value] of rows) {
        yield { collection, key, value, expiresAt: expiresAt ?? undefined };
        after = row;
      }
      if (rows.length < PAGE) return;
    }
  }

  durables(): ArchivedDurable[] {
    return this.#sql.durables.all().map(([subject, name]) => ({ subject, name: decodeToken(name) }));
  }

  *messages(): Iterable<ArchivedMessage> {
    for (let after = 0; ; ) {
      const rows = this.#sql.messages.all(after);
      for (const [seq, subject, key, id, publishedAt, body, names] of rows) {
        const openFor = (JSON.parse(names) as string[]).map(decodeToken);
        const plainKey = key === null ? undefined : decodeToken(key);
        yield { subject, id: decodeToken(id), key: plainKey, publishedAt, body, openFor };
        after = seq;
      }
      if (rows.length < PAGE) return;
    }
  }
}

const durableKey = (subject: string, name: string): string => JSON.stringify([subject, name]);

const PAGE = 500;

const writing = (database: Database) => ({
  put: database.prepare(
    "INSERT OR REPLACE INTO entries (collection, key, revision, expires_at, value) VALUES (?, ?, ?, ?, ?)",
  ),
  remove: database.prepare("DELETE FROM entries WHERE collection = ? AND key = ?"),
  durable: database.prepare("INSERT INTO durables (id, subject, name) VALUES (?, ?, ?)"),
  message: database.prepare(
    "INSERT INTO messages (seq, subject, key, id, published_at, body) VALUES (?, ?, ?, ?, ?, ?)",
  ),
  pending: database.prepare("INSERT INTO pending (durable_id, seq) VALUES (?, ?)"),
  reserve: database.prepare("UPDATE numbers SET reserved = ?"),
});

type EntryRow = [row: number, collection: string, key: string, expiresAt: number | null, value: string];
type MessageRow = [
  seq: number,
  subject: string,
  key: string | null,
  id: string,
  publishedAt: number,
  body: string,
  names: string,
];

const reading = (database: Database) => ({
  entries: database.prepare<EntryRow>(
    `SELECT rowid, collection, key, expires_at, value FROM entries
     WHERE rowid > ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY rowid LIMIT ${PAGE}`,
  ),
  durables: database.prepare<[subject: string, name: string]>("SELECT subject, name FROM durables ORDER BY id"),
  messages: database.prepare<MessageRow>(
    `SELECT messages.seq, messages.subject, key, messages.id, published_at, body, json_group_array(name)
     FROM messages JOIN pending USING (seq) JOIN durables ON durables.id = pending.durable_id
     WHERE messages.seq > ? GROUP BY messages.seq ORDER BY messages.seq LIMIT ${PAGE}`,
  ),
});
