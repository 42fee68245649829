import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import type { Floor } from "./floor.ts";

/** Subject and key have the same length as those of the product. */
const SUBJECT = "default.user.message.bench";
const KEY = "+bench/-/+the%20room%20of%20a%20conversation/-";

/** libsql with one transaction for all pending writes of a pass of the event loop: a row in, a row out. */
export const embeddedFloor = async (): Promise<Floor> => {
  const dir = await mkdtemp(join(tmpdir(), "mooring-floor-"));
  const db = new Database(join(dir, "floor.db"));
  db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA locking_mode=EXCLUSIVE");
  db.exec("PRAGMA wal_autocheckpoint=4000; PRAGMA cache_size=-32000");
  db.exec("CREATE TABLE messages (seq INTEGER PRIMARY KEY, subject TEXT, key TEXT, id TEXT, at INTEGER, body TEXT)");
  db.exec("CREATE TABLE pending (seq INTEGER PRIMARY KEY)");
  db.exec(
    "CREATE TABLE entries (space TEXT, key TEXT, revision INTEGER, value TEXT, PRIMARY KEY (space, key)) WITHOUT ROWID",
  );
  const insert = db.prepare("INSERT INTO messages (subject, key, id, at, body) VALUES (?, ?, ?, ?, ?)");
  const mark = db.prepare("INSERT INTO pending (seq) VALUES (?)");
  const clear = db.prepare("DELETE FROM pending WHERE seq = ?");
  const upsert = db.prepare(
    `INSERT INTO entries VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET revision = excluded.revision, value = excluded.value`,
  );
  let revision = 0;
  let serial = 0;
  const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")];

  let waiting: { run: () => unknown; done: (value: unknown) => void }[] = [];
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    begin.run();
    const results = batch.map(({ run }) => run());
    commit.run();
    for (const [index, { done }] of batch.entries()) done(results[index]);
  };
  const write = <T>(run: () => T): Promise<T> =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ run, done: resolve as (value: unknown) => void });
    });

  return {
    async publish(message, handle) {
      const body = JSON.stringify(message);
      const seq = await write(() => {
        const { lastInsertRowid } = insert.run(SUBJECT, KEY, `message-number-${++serial}`, Date.now(), body);
        mark.run(lastInsertRowid);
        return lastInsertRowid;
      });
      JSON.parse(body);
      void handle().then(() => write(() => clear.run(seq)));
    },
    put: async (key, value) => {
      await write(() => upsert.run("notes", key, ++revision, value));
    },
    async close() {
      db.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
};
