import { execFileSync } from "node:child_process";
import { setPriority } from "node:os";
import { parseArgs } from "node:util";
import { mutatePart } from "./mutate-part.ts";
import { MIN_SCORE } from "./parts.ts";
import { scoreOf, tableOf } from "./score.ts";
import { type Selection, selectParts } from "./select-parts.ts";

const USAGE = `npm run mutants                   mutates the files that differ from origin/main
npm run mutants -- --since <ref>  mutates the files that differ from <ref>
npm run mutants -- <file> …       mutates these files
npm run mutants -- --part <name>  mutates one part of test/mutants/parts.ts
npm run mutants -- --all          mutates every part`;

const git = (...args: string[]): string[] =>
  execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);

/** Files that differ from the merge base with `ref`, also uncommitted and untracked ones. */
const changedSince = (ref: string): string[] => {
  const [base = ref] = git("merge-base", "HEAD", ref);
  return [...git("diff", "--name-only", "--diff-filter=d", base), ...git("ls-files", "--others", "--exclude-standard")];
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: "boolean", default: false },
    part: { type: "string", multiple: true },
    since: { type: "string", default: "origin/main" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const selection = (): Selection => {
  if (values.all) return { kind: "all" };
  if (values.part) return { kind: "parts", names: values.part };
  return { kind: "files", files: positionals.length > 0 ? positionals : changedSince(values.since) };
};

// A mutation run takes long and must not slow down other work on the machine.
setPriority(15);
const selected = selectParts(selection());
if (selected.length === 0)
  console.log("No file of a mutated part has changed (test/mutants/parts.ts lists the parts).");
const scores = [];
for (const { part, files } of selected) scores.push(scoreOf(part.name, await mutatePart(part, files)));
if (scores.length > 0) console.log(`\n${tableOf(scores)}`);
const low = scores.filter(({ score }) => score < MIN_SCORE);
for (const { part, score } of low) console.log(`${part}: ${score.toFixed(1)} % killed, ${MIN_SCORE} % is the minimum`);
process.exit(low.length === 0 ? 0 : 1);
