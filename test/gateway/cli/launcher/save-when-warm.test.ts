import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { saveWhenWarm } from "../../../../gateway/cli/launcher/save-when-warm.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Scripts of which `missing` are not in the cache. */
const scripts = (missing: number) => ({
  saved: 0,
  saveNext() {
    if (this.saved === missing) return false;
    this.saved++;
    return true;
  },
});

/** The listener for the exit of the process, which must not run in this one. */
const exitListener = (register: () => void): (() => void) => {
  const once = vi.spyOn(process, "once").mockReturnValue(process);
  register();
  const [event, listener] = once.mock.calls[0] ?? [];
  expect(event).toBe("exit");
  return listener as () => void;
};

describe("given a process that serves", () => {
  it("when it is warm, then it saves one script at a time", () => {
    const cache = scripts(3);
    exitListener(() => saveWhenWarm(cache));
    vi.advanceTimersByTime(29_999);
    expect(cache.saved).toBe(0);
    vi.advanceTimersByTime(1);
    expect(cache.saved).toBe(1);
    vi.advanceTimersByTime(100);
    expect(cache.saved).toBe(2);
    vi.runAllTimers();
    expect(cache.saved).toBe(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("when it exits earlier, then it saves all scripts", () => {
    const cache = scripts(3);
    exitListener(() => saveWhenWarm(cache))();
    expect(cache.saved).toBe(3);
  });
});
