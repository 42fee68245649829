import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { identityOf, isRunning, type ProcessIdentity, processSpace } from "./process-table.ts";

const Identity = z.object({ pid: z.int().positive(), startTime: z.string() });

const InstanceRecord = z.looseObject({
  /** The value of the marker in the environment of all children. */
  instance: z.string().min(8),
  /** Process ids of another space say nothing here. */
  space: z.string(),
  owner: Identity,
  children: z.array(Identity),
});
export type InstanceRecord = z.infer<typeof InstanceRecord>;

/** The records of the processes that this and other Mooring processes have started, one file per Mooring process. */
export class ProcessRecords {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, "tool-processes");
  }

  /** Written before the first child starts, so that a crash leaves no child without a record. */
  write(instance: string, children: readonly ProcessIdentity[]): void {
    const owner = identityOf(process.pid);
    if (owner === undefined) return;
    const record: InstanceRecord = { instance, space: processSpace(), owner, children: [...children] };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#file(instance);
    writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  remove(instance: string): void {
    rmSync(this.#file(instance), { force: true });
  }

  /** The records of processes of this machine that have ended without removing theirs. */
  abandoned(): InstanceRecord[] {
    const space = processSpace();
    return this.#all().filter((record) => record.space === space && !isRunning(record.owner));
  }

  #all(): InstanceRecord[] {
    let files: string[];
    try {
      files = readdirSync(this.#folder);
    } catch {
      return [];
    }
    return files.filter((name) => name.endsWith(".json")).flatMap((name) => readRecord(join(this.#folder, name)) ?? []);
  }

  #file(instance: string): string {
    return join(this.#folder, `${instance}.json`);
  }
}

/** A file that is not a record is left alone. */
const readRecord = (file: string): InstanceRecord | undefined => {
  try {
    return InstanceRecord.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
};
