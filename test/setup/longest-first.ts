import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that took longest in a whole run, the longest first. Each took more than half a minute of a worker. */
export const LONGEST = [
  "core/deaths/nats-deaths",
  "gateway/relay/deaths-nats",
  "e2e/browser",
  "e2e/slack",
  "e2e/console",
  "outside/frozen-data",
  "faults/seeded-embedded",
  "e2e/nats-stream",
  "outside/nats-readiness",
  "e2e/teams",
  "e2e/trouble",
  "outside/a2a-peers",
  "gateway/relay/deaths-embedded",
  "e2e/discord",
].map((name) => `/test/${name}.test.ts`);
const RUNS_PROCESSES = /\/test\/(e2e|faults|outside)\/|deaths/;

/**
 * A file that starts and kills processes takes long, and mostly waits. If it began last, the other workers would have
 * nothing to do until it ends.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a.moduleId) - rank(b.moduleId));
  }
}

/** Files with a lower rank begin earlier. */
export const rank = (file: string): number => {
  const place = LONGEST.findIndex((name) => file.endsWith(name));
  if (place >= 0) return place;
  return RUNS_PROCESSES.test(file) ? LONGEST.length : LONGEST.length + 1;
};
