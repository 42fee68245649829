import { relative } from "node:path";
import type { MutantResult } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import type { Part } from "./parts.ts";

/** For sandboxes and the cached results of earlier runs; ignored by git. */
const FOLDER = "coverage/mutants";

/** Runs Stryker over files of a part and prints the mutants that survived. */
export const mutatePart = async (part: Part, files: readonly string[]): Promise<MutantResult[]> => {
  console.log(`\n${part.name}: ${files.length} files`);
  process.env.MUTANTS_PART = part.name;
  const mutants = await new Stryker({
    mutate: [...files],
    plugins: ["@stryker-mutator/vitest-runner"],
    testRunner: "vitest",
    vitest: { configFile: "test/mutants/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    // A mutant of code that runs while its module loads would need a new process and all tests of the part.
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: 20_000,
    timeoutFactor: 2,
    incremental: true,
    incrementalFile: `${FOLDER}/${part.name}.json`,
    tempDirName: `${FOLDER}/sandbox`,
    ignorePatterns: ["coverage", "dist", "data", "docs/images"],
    reporters: ["clear-text", "progress-append-only"],
    clearTextReporter: { logTests: false, reportTests: false, allowColor: process.stdout.isTTY },
    // vitest strips types without checking them, and TypeScript 7 lacks the API with which Stryker rewrites tsconfig.json.
    disableTypeChecks: false,
    tsconfigFile: "none",
    logLevel: "warn",
  } as ConstructorParameters<typeof Stryker>[0]).runMutationTest();
  // Stryker also returns cached results for other files of the part.
  return mutants.filter(({ fileName }) => files.includes(relative(process.cwd(), fileName).replaceAll("\\", "/")));
};
