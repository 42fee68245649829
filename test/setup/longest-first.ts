import { BaseSequencer, type TestSpecification } from "vitest/node";

const RUNS_PROCESSES = /\/test\/(e2e|faults|outside)\/|deaths/;

/** Files that run and kill processes take longest, mostly waiting: begun last, they would keep everybody waiting. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => RUNS_PROCESSES.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
