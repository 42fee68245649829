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
const stays = (old: Batch, published: ReadonlySet<string> = new Set()): boolean =>
  old.turnId in withoutOld(withBatch(withBatch(emptyOwner, old), batch("newest")), NOW, published).batches;

describe("given a fired batch that is not the newest of its owner", () => {
  it("when it has just fired, even after a long wait, then it stays until its effects are published (B5)", () => {
    expect(stays(batch("old", { firedAt: NOW, firedBy: "ceiling" }))).toBe(true);
    expect(stays(batch("old", { firedAt: NOW - 2 * HOUR_MS, amendedAt: NOW }))).toBe(true);
  });

  it("when its effects are published, or it has been over for an hour, then it is removed", () => {
    expect(stays(batch("old", { firedAt: NOW }), new Set(["old"]))).toBe(false);
    expect(stays(batch("old", { firedAt: NOW - 2 * HOUR_MS }))).toBe(false);
  });
});

describe("given batches of one owner", () => {
  const fired = { firedAt: NOW - 2 * HOUR_MS };

  it("when one is not settled, then it stays at any age", () => {
    const open = { id: "subtask-00000000", callKey: "c", name: "a", reports: "batch" as const, ended: false };
    expect(stays(batch("old", { ...fired, members: [open] }))).toBe(true);
  });

  it("when one has a member that reports alone, then it stays for an hour although its effects are published", () => {
    const members = ["batch", "alone"].map((reports) => ({ ...batch("x").members[0], reports })) as Batch["members"];
    expect(stays(batch("old", { firedAt: NOW, members }), new Set(["old"]))).toBe(true);
    expect(stays(batch("old", { ...fired, members }), new Set(["old"]))).toBe(false);
  });

  it("then the newest stays for list_subtasks, and a record without old batches is unchanged", () => {
    const record = withBatch(withBatch(withBatch(emptyOwner, batch("1", fired)), batch("2", fired)), batch("3", fired));
    expect(Object.keys(withoutOld(record, NOW, new Set()).batches)).toEqual(["3"]);
    const alone = withBatch(emptyOwner, batch("1", fired));
    expect(withoutOld(alone, NOW, new Set())).toBe(alone);
    expect(withoutOld(emptyOwner, NOW, new Set())).toBe(emptyOwner);
  });

  it("when exactly an hour has passed, then it is removed", () => {
    expect(stays(batch("old", { firedAt: NOW - HOUR_MS }))).toBe(false);
    expect(stays(batch("old", { firedAt: NOW - HOUR_MS + 1 }))).toBe(true);
  });
});
