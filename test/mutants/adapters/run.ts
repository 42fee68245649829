import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { buggyAdapters, MIN_KILLED, type NamedBug, plantedBugs } from "./buggy-adapters.ts";
import { EarlierOutcomes } from "./earlier-outcomes.ts";

const USAGE = `npm run mutants:adapters                runs the contract suite against every planted bug
npm run mutants:adapters -- slack       against the bugs of one adapter
npm run mutants:adapters -- slack-7 …   against these bugs

A run that was interrupted continues, unless the code has changed; --again runs all of them.`;

const LANES = 2;

interface Outcome {
  readonly bug: NamedBug;
  readonly killed: boolean;
  /** The case that found the bug, or the last lines of the run. */
  readonly by: string;
}

const chosen = process.argv.slice(2);
if (chosen.includes("--help")) {
  console.log(USAGE);
  process.exit(0);
}
const named = chosen.filter((name) => !name.startsWith("--"));
const bugs = plantedBugs.filter(
  ({ id, adapter }) => named.length === 0 || named.includes(id) || named.includes(adapter),
);

/** Exit code 1 with a failed test kills the bug; a suite that could not run at all does not. */
const attempt = (bug: NamedBug): Promise<Outcome> =>
  new Promise((resolve) => {
    const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/mutants/adapters/vitest.config.ts"];
    const run = spawn(process.execPath, [...args, "--reporter=dot"], {
      env: { ...process.env, MOORING_PLANTED_BUG: bug.id, NO_COLOR: "1" },
    });
    let output = "";
    run.stdout.on("data", (text) => (output += text));
    run.stderr.on("data", (text) => (output += text));
    run.on("close", (code) => {
      const failed = /^ FAIL .*$/m.exec(output)?.[0]?.split(" > ").slice(-1)[0];
      const killed = code !== 0 && failed !== undefined;
      resolve({ bug, killed, by: failed ?? output.slice(-500) });
    });
  });

// The run must not slow down other work on the machine.
setPriority(10);
const earlier = new EarlierOutcomes();
const known = new Map(chosen.includes("--again") ? [] : earlier.read().map((outcome) => [outcome.id, outcome]));
const outcomes: Outcome[] = bugs.flatMap((bug) => {
  const stored = known.get(bug.id);
  return stored ? [{ ...stored, bug }] : [];
});
if (outcomes.length > 0) console.log(`${outcomes.length} outcomes are from an earlier run of the same code`);
const queue = bugs.filter(({ id }) => !known.has(id));
const lane = async (): Promise<void> => {
  for (let bug = queue.shift(); bug !== undefined; bug = queue.shift()) {
    const outcome = await attempt(bug);
    outcomes.push(outcome);
    earlier.add({ id: bug.id, killed: outcome.killed, by: outcome.by });
    console.log(
      `${outcome.killed ? "killed  " : "SURVIVED"} ${bug.id}: ${bug.breaks}${outcome.killed ? ` ← ${outcome.by}` : ""}`,
    );
  }
};
await Promise.all(Array.from({ length: LANES }, lane));

console.log("\n| adapter | bugs | killed | score |\n| ------- | ---- | ------ | ----- |");
const row = (name: string, of: readonly Outcome[]) => {
  const killed = of.filter((outcome) => outcome.killed).length;
  if (of.length > 0)
    console.log(`| ${name} | ${of.length} | ${killed} | ${((100 * killed) / of.length).toFixed(1)} % |`);
};
for (const { name } of buggyAdapters)
  row(
    name,
    outcomes.filter(({ bug }) => bug.adapter === name),
  );
row("all", outcomes);
const score = (100 * outcomes.filter(({ killed }) => killed).length) / Math.max(1, outcomes.length);
if (score < MIN_KILLED) console.log(`${score.toFixed(1)} % killed, ${MIN_KILLED} % is the minimum`);
process.exit(score < MIN_KILLED ? 1 : 0);
