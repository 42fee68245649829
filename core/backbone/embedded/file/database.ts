import { AppError } from "../../../contract/app-error.ts";
import { DATA_FORMAT, refuseNewerData } from "../../data-format.ts";
import { DataLock, prepareDataFile, prepareDataFolder } from "./data-folder.ts";
import { type DatabaseFailure, type Driver, databaseFailure, openDriver } from "./driver.ts";
import { APPLICATION_ID, migrations } from "./schema.ts";

export type Value = string | number | null;

/** Prepare each statement once: the driver leaks memory with each prepare call. Rows are arrays. */
export interface Statement<Row extends readonly unknown[] = never> {
  /** Returns the number of changed rows. */
  run(...values: Value[]): number;
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
}

/** The SQLite file of a data folder. All calls are synchronous. */
export class Database {
  readonly folder: string;
  readonly #file: string;
  readonly #lock: DataLock;
  readonly #driver: Driver;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #changes: Statement<[number]>;
  #closed = false;
  #failure: DatabaseFailure | undefined;

  /** Throws "data-in-use" or "data-unusable"; both messages say what to do. */
  constructor(dataDir: string) {
    const folder = prepareDataFolder(dataDir);
    this.folder = folder;
    this.#lock = new DataLock(folder);
    try {
      this.#file = prepareDataFile(folder);
      this.#driver = openDriver(this.#file, BUSY_WAIT_MS);
    } catch (error) {
      this.#lock.release();
      throw error;
    }
    try {
      this.#driver.pragma("journal_mode = WAL");
      this.#driver.pragma(`journal_size_limit = ${MAX_IDLE_LOG_BYTES}`);
      this.#driver.pragma("synchronous = FULL");
      this.#driver.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      this.#driver.pragma(`cache_size = -${CACHE_KB}`);
      this.#begin = this.prepare("BEGIN IMMEDIATE");
      this.#commit = this.prepare("COMMIT");
      this.#changes = this.prepare("SELECT total_changes()");
      this.transaction(() => this.#migrate());
    } catch (error) {
      const explained = this.#explain(error);
      this.#releaseFile();
      throw explained;
    }
  }

  /** The first fatal failure: it leaves the content of the file uncertain until the file is opened again. */
  get failure(): DatabaseFailure | undefined {
    return this.#failure;
  }

  prepare<Row extends readonly unknown[] = never>(sql: string): Statement<Row> {
    const statement = this.#attempt(() => this.#driver.prepare(sql));
    if (statement.reader) statement.raw();
    const execute = <R>(act: (values: Value[]) => R, values: Value[]): R => {
      if (this.#closed) throw stopped();
      try {
        return act(values);
      } catch (error) {
        throw this.#explain(error);
      }
    };
    const run = (values: Value[]) => statement.run(values).changes;
    const get = (values: Value[]) => statement.get(values) as Row | undefined;
    const all = (values: Value[]) => statement.all(values) as Row[];
    return {
      run: (...values) => execute(run, values),
      get: (...values) => execute(get, values),
      all: (...values) => execute(all, values),
    };
  }

  /** Durable when it returns; rolled back when it throws. */
  transaction(work: () => void): void {
    this.#begin.run();
    try {
      work();
      this.#commit.run();
    } catch (error) {
      // After some failures, such as a full disk, SQLite has already rolled back.
      if (this.#driver.inTransaction) this.#attempt(() => this.#driver.exec("ROLLBACK"));
      throw error;
    }
  }

  /** Rows changed since the file was opened. */
  get changes(): number {
    return this.#changes.get()?.[0] ?? 0;
  }

  /** Limits the size of the file. SQLite reports a full disk when it is reached. */
  limitPages(pages: number): void {
    this.#attempt(() => this.#driver.pragma(`max_page_count = ${pages}`));
  }

  /** Leaves one file without a log. While a backup reads the file the log stays, and the next start reads it. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const problem = this.#releaseFile();
    if (problem) throw problem;
  }

  /** The driver keeps a connection open while one of its statements exists; leaving WAL mode releases the file locks. */
  #releaseFile(): AppError | undefined {
    try {
      this.#driver.pragma("busy_timeout = 0");
      this.#driver.pragma("journal_mode = DELETE");
      return undefined;
    } catch (error) {
      const failure = this.#explain(error);
      return failure.code === "data-in-use" ? undefined : failure;
    } finally {
      this.#driver.close();
      this.#lock.release();
    }
  }

  #migrate(): void {
    const version = this.#readPragma("user_version");
    const tables = this.prepare<[number]>("SELECT count(*) FROM sqlite_schema").get()?.[0] ?? 0;
    if (tables > 0 && this.#readPragma("application_id") !== APPLICATION_ID) {
      throw this.#unusable("belongs to another program. Move it away, or choose another dataDir");
    }
    refuseNewerData(this.#file, version);
    if (version === DATA_FORMAT) return;
    for (const migration of migrations.slice(version)) this.#driver.exec(migration);
    this.#driver.pragma(`application_id = ${APPLICATION_ID}`);
    this.#driver.pragma(`user_version = ${DATA_FORMAT}`);
  }

  #readPragma(name: string): number {
    return this.prepare<[number]>(`PRAGMA ${name}`).get()?.[0] ?? 0;
  }

  #unusable(problem: string): AppError {
    return new AppError("data-unusable", `${this.#file} ${problem}`);
  }

  #attempt<R>(act: () => R): R {
    if (this.#closed) throw stopped();
    try {
      return act();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): AppError {
    if (error instanceof AppError) return error;
    const failure = databaseFailure(error, this.#file);
    if (failure.fatal) this.#failure ??= failure;
    return failure;
  }
}

const stopped = (): AppError => new AppError("stopped", "the backbone is closed");

/** A backup (`backup/backup-database.ts`) blocks writers for a moment while it opens the file. */
const BUSY_WAIT_MS = 2_000;
/** The log grows while a backup reads the file; afterwards it shrinks to this size. */
const MAX_IDLE_LOG_BYTES = 32_000_000;
/** 16 MB of log: a checkpoint takes some tens of milliseconds, and writes a page that changed often only once. */
const CHECKPOINT_PAGES = 4_000;
/** Keys are random: with SQLite's default of 2 MB nearly every write would read its page first. */
const CACHE_KB = 32_000;
