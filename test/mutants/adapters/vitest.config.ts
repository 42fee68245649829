import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { plantedBugs, sourceOf, testOf } from "./buggy-adapters.ts";
import { plant } from "./planted-bug.ts";

const bug = plantedBugs.find(({ id }) => id === process.env.MOORING_PLANTED_BUG);
const buggyFile = bug && resolve(sourceOf(bug));

/** Runs the contract test of one adapter, with one bug planted in memory: the files stay unchanged. */
export default defineConfig({
  plugins: [
    {
      name: "planted-bug",
      enforce: "pre",
      transform: (code, id) => (bug && id.split("?", 1)[0] === buggyFile ? plant(code, bug) : undefined),
    },
  ],
  test: {
    include: [testOf(bug?.adapter ?? "no-adapter")],
    setupFiles: ["test/setup/egress-guard.ts"],
    isolate: false,
    maxWorkers: 1,
    // The first failure finds the bug.
    bail: 1,
    // Shorter than in the suite, because a bug can make a test wait forever.
    testTimeout: 15_000,
    hookTimeout: 15_000,
  },
});
