import { readFile, writeFile } from "node:fs/promises";
import type { Raced } from "./answers/race.ts";
import type { circumstances } from "./circumstances.ts";
import { type Result, resultTable } from "./result-table.ts";

export interface Run {
  readonly circumstances: ReturnType<typeof circumstances>;
  readonly quick: boolean;
  readonly seconds: number;
  readonly loadAfter: string;
  readonly results: readonly Result[];
  readonly answers: readonly Raced[];
}

const PAGE = "docs/performance-history.md";
const FIGURES = "docs/performance.json";
const ANSWERS = "docs/performance-answers.json";
const [BEGIN, END] = ["<!-- written by the bench -->", "<!-- end of what the bench wrote -->"];

/** Stores the times from messages to answers, of all bots. */
export const writeAnswers = async ({ results: _, ...run }: Run): Promise<void> =>
  writeFile(ANSWERS, `${JSON.stringify(run, null, 2)}\n`);

/** Stores a run as the project's record: all figures, and the table of the page. */
export const writeRecord = async (run: Run): Promise<void> => {
  const page = await readFile(PAGE, "utf8");
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${PAGE} has no place for the table: it wants "${BEGIN}" and "${END}"`);
  const { answers: _, ...figures } = run;
  await writeFile(FIGURES, `${JSON.stringify(figures, null, 2)}\n`);
  await writeFile(PAGE, `${page.slice(0, from)}${BEGIN}\n\n${describe(run)}\n\n${page.slice(to)}`);
};

const describe = ({ circumstances: { commit, machine, load, ...versions }, quick, seconds, loadAfter, results }: Run) =>
  [
    `One run of \`npm run bench${quick ? " -- --quick" : ""}\` at ${commit}, ${seconds} s, on ${machine} (${load} before, ${loadAfter} after).`,
    `${Object.values(versions).join(", ")}.`,
    "",
    resultTable(results),
  ].join("\n");
