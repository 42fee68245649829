import { vi } from "vitest";

/** Waits for an assertion to hold; fails with its last words. */
export const eventually = (assertion: () => unknown, timeoutMs = 60_000): Promise<unknown> =>
  vi.waitFor(assertion, { timeout: timeoutMs, interval: 10 });
