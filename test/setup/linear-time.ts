import { expect } from "vitest";

/** Several times the duration of the slowest renderer on an idle core, and far less than a quadratic one needs. */
const MS_PER_CHAR = 0.08;
const ANY_LENGTH_MS = 60;
const MAX_TRIES = 6;

/**
 * Checks that the CPU time of some work is linear in the length of its input. It measures CPU time instead of
 * elapsed time, and one fast attempt is enough, so that a busy machine does not fail it.
 */
export const expectLinearTime = <T>(what: string, length: number, work: () => T): T => {
  const allowedMs = ANY_LENGTH_MS + length * MS_PER_CHAR;
  let quickestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; ; tries++) {
    const before = process.cpuUsage();
    const result = work();
    quickestMs = Math.min(quickestMs, process.cpuUsage(before).user / 1_000);
    if (quickestMs <= allowedMs) return result;
    if (tries === MAX_TRIES)
      expect.fail(`${what}: ${Math.round(quickestMs)} ms for ${length} characters, ${allowedMs} ms are allowed`);
  }
};
