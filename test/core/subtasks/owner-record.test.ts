import { describe, expect, it } from "vitest";
import type { Batch } from "../../../core/subtasks/batch.ts";
import { emptyOwner, withBatch, withoutOld } from "../../../core/subtasks/owner-record.ts";

const HOUR_MS = 3_600_000;
const NOW = 10 * HOUR_MS;
const batch = (turnId: string, rest: Partial<Batch> = {}): Batch =>
  ({
    turnId,
    members: [{ id: "subtask-00000000", callKey: "c", name: "a", reports: "batch", ended: true }],
    openedAt: NOW - 3 * HOUR_MS,
    sealedAt: NOW - 3 * HOUR_MS,
    ...rest,
  }) as Batch;
const kept = (old: Batch, told: ReadonlySet<string> = new Set()): boolean =>
  old.turnId in withoutOld(withBatch(withBatch(emptyOwner, old), batch("newest")), NOW, told).batches;

describe("given a batch that has fired and is not its owner's newest", () => {
  it("when it fired just now, however long it waited, then it stays until what follows from it is told (B5)", () => {
    expect(kept(batch("old", { firedAt: NOW, firedBy: "ceiling" }))).toBe(true);
    expect(kept(batch("old", { firedAt: NOW - 2 * HOUR_MS, amendedAt: NOW }))).toBe(true);
  });

  it("when it is told, or has been over for an hour, then nobody needs it", () => {
    expect(kept(batch("old", { firedAt: NOW }), new Set(["old"]))).toBe(false);
    expect(kept(batch("old", { firedAt: NOW - 2 * HOUR_MS }))).toBe(false);
  });
});
