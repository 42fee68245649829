import { describe, expect, it } from "vitest";
import type { Batch } from "../../../../core/subtasks/owner/batch.ts";
import { emptyOwner, withBatch, withoutOld } from "../../../../core/subtasks/owner/owner-record.ts";

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

describe("given batches of one owner", () => {
  const fired = { firedAt: NOW - 2 * HOUR_MS };

  it("when one is not settled, then it stays, however old it is", () => {
    const open = { id: "subtask-00000000", callKey: "c", name: "a", reports: "batch" as const, ended: false };
    expect(kept(batch("old", { ...fired, members: [open] }))).toBe(true);
  });

  it("when one had somebody who reports alone, then it stays for an hour although it is told", () => {
    const members = ["batch", "alone"].map((reports) => ({ ...batch("x").members[0], reports })) as Batch["members"];
    expect(kept(batch("old", { firedAt: NOW, members }), new Set(["old"]))).toBe(true);
    expect(kept(batch("old", { ...fired, members }), new Set(["old"]))).toBe(false);
  });

  it("then the newest stays so that its owner can look at it, and a record without old ones is not changed", () => {
    const record = withBatch(withBatch(withBatch(emptyOwner, batch("1", fired)), batch("2", fired)), batch("3", fired));
    expect(Object.keys(withoutOld(record, NOW, new Set()).batches)).toEqual(["3"]);
    const alone = withBatch(emptyOwner, batch("1", fired));
    expect(withoutOld(alone, NOW, new Set())).toBe(alone);
    expect(withoutOld(emptyOwner, NOW, new Set())).toBe(emptyOwner);
  });

  it("when exactly an hour has passed, then it goes", () => {
    expect(kept(batch("old", { firedAt: NOW - HOUR_MS }))).toBe(false);
    expect(kept(batch("old", { firedAt: NOW - HOUR_MS + 1 }))).toBe(true);
  });
});
