import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that took longest in a complete run, the longest first. Each took more than 25 s of a worker. */
export const LONGEST = [
  "gateway/relay/crashes-nats",
  "core/crashes/nats-turns",
  "outside/frozen-data",
  "package/examples",
  "package/package",
  "e2e/browser",
  "outside/nats-check",
  "e2e/slack",
  "e2e/console",
  "core/crashes/nats-delegation",
  "outside/nats-readiness",
  "outside/request-storm",
  "faults/seeded-embedded",
  "outside/a2a-peers",
  "outside/quorum-return",
  "core/crashes/embedded-turns",
  "gateway/relay/crashes-embedded",
  "outside/refused-at-once",
  "core/backbone/nats/cluster-codes",
  "e2e/nats-stream",
  "core/crashes/embedded-approvals",
  "outside/own-agent",
  "core/crashes/nats-approvals",
  "e2e/discord",
  "gateway/a2a/pair/nats-pair",
  "core/crashes/nats-workspaces",
  "core/crashes/embedded-delegation",
  "faults/seeded-nats",
  "e2e/failed-starts",
  "gateway/relay/digest/digest-crashes-nats",
  "gateway/a2a/pair/embedded-pair",
  "adapters/hostile-replies",
  "core/backbone/nats",
  "core/backbone/nats/health",
  "e2e/teams",
  "core/backbone/nats/server-faults",
  "core/crashes/nats-schedules",
].map((name) => `/test/${name}.test.ts`);
const RUNS_PROCESSES = /\/test\/(e2e|faults|outside)\/|\/(pair|package|mcp)\/|crashes|nats/;

/**
 * A file that starts and kills processes takes long, and mostly waits. If it started last, the other workers would be
 * idle until it ends.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a.moduleId) - rank(b.moduleId));
  }
}

/** Files with a lower rank start earlier. */
export const rank = (file: string): number => {
  const rank = LONGEST.findIndex((name) => file.endsWith(name));
  if (rank >= 0) return rank;
  return RUNS_PROCESSES.test(file) ? LONGEST.length : LONGEST.length + 1;
};
