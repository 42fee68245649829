import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/setup/longest-first.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup/nothing-left.ts", "test/setup/warm-build.ts"],
    setupFiles: ["test/setup/egress-guard.ts"],
    // Most of the long tests wait for leases and processes, not for a core.
    maxWorkers: 4,
    // Loading the SDKs again for each file took longer than most of the tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Limits for tests that hang. The tests do not measure how long things take on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
