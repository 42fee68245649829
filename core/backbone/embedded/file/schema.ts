/** "Moor" in ASCII. Distinguishes Mooring's file from other SQLite files. */
export const APPLICATION_ID = 0x4d6f6f72;

/**
 * One entry per format, never changed after its release; `user_version` is the format (DATA_FORMAT).
 * Keys of entries, names of durables and subjects are tokens; ids and keys of messages are stored text.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE numbers (reserved INTEGER NOT NULL) STRICT;
  INSERT INTO numbers VALUES (0);

  CREATE TABLE entries (
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    revision INTEGER NOT NULL,
    expires_at INTEGER,
    value TEXT NOT NULL,
    PRIMARY KEY (collection, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    key TEXT,
    id TEXT NOT NULL,
    published_at INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE recent_ids (
    subject TEXT NOT NULL,
    id TEXT NOT NULL,
    published_at INTEGER NOT NULL,
    PRIMARY KEY (subject, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE durables (
    id INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (subject, name)
  ) STRICT;

  CREATE TABLE pending (
    durable_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (durable_id, seq)
  ) STRICT, WITHOUT ROWID;
  `,
  // The messages table already has the recent ids.
  "DROP TABLE recent_ids",
  // A rowid table appends values. In a table ordered by the random keys, inserts split pages: a message wrote twice as
  // many pages.
  `
  ALTER TABLE entries RENAME TO entries_by_key;
  CREATE TABLE entries (
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    revision INTEGER NOT NULL,
    expires_at INTEGER,
    value TEXT NOT NULL,
    UNIQUE (collection, key)
  ) STRICT;
  INSERT INTO entries SELECT * FROM entries_by_key;
  DROP TABLE entries_by_key;
  CREATE INDEX entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;
  `,
  // 0.2.0 has the same tables and records that 0.1.0 does not know.
  "SELECT 1",
];
