import { expect } from "vitest";

const MOST_GROWN_BYTES = 300_000_000;

/** What no input may do to the process: change what all objects have, or fill the memory. */
export const watchHarm = () => {
  const before = process.memoryUsage().heapUsed;
  return {
    expectNone(): void {
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(MOST_GROWN_BYTES);
    },
  };
};
