/** A record, in encoded form. Revisions are not part of it: the restored store assigns new ones. */
export interface ArchivedEntry {
  readonly collection: string;
  readonly key: string;
  /** JSON. */
  readonly value: string;
  /** Wall clock, milliseconds. */
  readonly expiresAt: number | undefined;
}

/** One durable of a subject. Both names as the ports spell them. */
export interface ArchivedDurable {
  readonly subject: string;
  readonly name: string;
}

/** A message that at least one durable has not ended. */
export interface ArchivedMessage {
  readonly subject: string;
  readonly id: string;
  readonly key: string | undefined;
  readonly publishedAt: number;
  /** JSON. */
  readonly body: string;
  /** Names of the durables that have not ended it. */
  readonly openFor: readonly string[];
}

/** Takes the content of a deployment, in the form of the embedded backbone's file. */
export interface ArchiveWriter {
  put(entry: ArchivedEntry): void;
  remove(collection: string, key: string): void;
  /** Call before the messages of its subject. */
  durable(durable: ArchivedDurable): void;
  /** In the order of publication, per subject. */
  message(message: ArchivedMessage): void;
}

/** Reads the content of a file that an ArchiveWriter or the embedded backbone has written. */
export interface ArchiveReader {
  /** Without those that have expired. */
  entries(): Iterable<ArchivedEntry>;
  durables(): readonly ArchivedDurable[];
  /** In the order of publication. */
  messages(): Iterable<ArchivedMessage>;
}
