import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup/egress-guard.ts"],
    // Most of the long tests wait for leases and processes, not for a core.
    maxWorkers: 3,
    // For what hangs. How long things take on a busy machine is no business of these tests.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
