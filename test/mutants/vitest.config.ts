import { matchesGlob } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { keptThread } from "./kept-thread.ts";
import { parts } from "./parts.ts";

// Stryker starts its test runners as processes of their own: the environment tells them which part is mutated.
const tests = parts.find(({ name }) => name === process.env.MUTANTS_PART)?.tests ?? [];

/** A mutant is done at the first test that fails, so the quickest tests run first. */
class InOrderOfPart extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      tests.findIndex((pattern) => matchesGlob(moduleId.slice(process.cwd().length + 1), pattern));
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  plugins: [
    {
      name: "kept-thread",
      // Stryker's runner sets the pool itself, after this file was read.
      configureVitest({ project }) {
        project.config.poolRunner = keptThread();
        project.config.pool = project.config.poolRunner.name;
      },
    },
  ],
  test: {
    include: [...tests],
    setupFiles: ["test/setup/egress-guard.ts"],
    isolate: false,
    sequence: { sequencer: InOrderOfPart },
    // A mutant that makes a test wait for ever costs this much, not the two minutes of the suite.
    testTimeout: 15_000,
    hookTimeout: 15_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
