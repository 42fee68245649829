import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** The code that decides whether a bug is found. */
const FOLDERS = ["adapters", "core/contract", "test/adapters", "test/contract", "test/fakes", "test/mutants/adapters"];

const Line = z.object({ id: z.string(), killed: z.boolean(), by: z.string() });
export type StoredOutcome = z.infer<typeof Line>;

/** The outcomes of an interrupted run of the same code, so that the next run continues it. */
export class EarlierOutcomes {
  readonly #file: string;

  constructor(folder = "coverage/mutants/adapters") {
    mkdirSync(folder, { recursive: true });
    this.#file = join(folder, `${versionOf(FOLDERS)}.jsonl`);
  }

  read(): readonly StoredOutcome[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => Line.parse(JSON.parse(line)));
  }

  add(outcome: StoredOutcome): void {
    appendFileSync(this.#file, `${JSON.stringify(outcome)}\n`);
  }
}

/** Changes with the content of any TypeScript file below the folders. */
export const versionOf = (folders: readonly string[]): string => {
  const hash = createHash("sha256");
  for (const folder of folders) {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
    for (const file of files.sort()) hash.update(`${folder}/${file}\n`).update(readFileSync(join(folder, file)));
  }
  return hash.digest("hex").slice(0, 16);
};
