import { matchesGlob } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { parts } from "./parts.ts";
import { reusedThread } from "./reused-thread.ts";

// Stryker starts test runners as child processes, which read the name of the part from the environment.
const tests = parts.find(({ name }) => name === process.env.MUTANTS_PART)?.tests ?? [];

/** The first failing test ends a mutant, so the fastest tests run first. */
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
      name: "reused-thread",
      // Stryker sets the pool after it has read this file.
      configureVitest({ project }) {
        project.config.poolRunner = reusedThread();
        project.config.pool = project.config.poolRunner.name;
      },
    },
  ],
  test: {
    include: [...tests],
    setupFiles: ["test/setup/egress-guard.ts"],
    isolate: false,
    sequence: { sequencer: InOrderOfPart },
    // Shorter than in the suite, because a mutant can make a test wait forever.
    testTimeout: 15_000,
    hookTimeout: 15_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
