import { describe, expect, it } from "vitest";
import { mayStoreConflicts } from "../../../../core/backbone/nats/conflicting-writes.ts";

describe("given the version of a NATS server", () => {
  it.each([
    ["2.8.4", true],
    ["2.9.10", true],
    ["2.9.20", true],
    ["2.9.21", false],
    ["2.10.0-RC.1", false],
    ["2.15.1", false],
    ["3.0.0", false],
  ])("when it is %s, then conflicting writes in a cluster are possible: %s", (version, expected) => {
    expect(mayStoreConflicts(version)).toBe(expected);
  });
});
