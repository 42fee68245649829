import { vi } from "vitest";

/** Retries an assertion until it holds; fails with its last error. */
export const eventually = (assertion: () => unknown, timeoutMs = 60_000): Promise<unknown> =>
  vi.waitFor(assertion, { timeout: timeoutMs, interval: 10 });
