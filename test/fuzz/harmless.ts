import { expect } from "vitest";

const MAX_GROWTH_BYTES = 300_000_000;

/** Checks that no input has polluted the prototype of all objects or filled the memory. */
export const watchHarm = () => {
  const before = process.memoryUsage().heapUsed;
  return {
    expectNone(): void {
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(MAX_GROWTH_BYTES);
    },
  };
};
