import { describe, expect, it } from "vitest";
import type { TurnRecord } from "../../../core/turns/record/turn-records.ts";
import { RunningTurns } from "../../../core/turns/running-turns.ts";

const record = (turnId: string) =>
  ({
    turnId,
    origin: { promptSummary: "go" },
    audience: { personId: "ann" },
    openedAt: "2026-11-17T09:00:00Z",
  }) as unknown as TurnRecord;

/** Neither is used before a turn is listed. */
const turns = () => new RunningTurns({ bus: undefined as never, clock: undefined as never });

describe("given a callback for the end of a turn", () => {
  it("when the turn ends, then it is called once, and not when another turn ends", () => {
    const running = turns();
    const calls: string[] = [];
    const endOfFirst = running.begin(record("t-1"), "mooring");
    const endOfSecond = running.begin(record("t-2"), "mooring");
    running.whenOver("t-1", () => calls.push("first"));
    running.whenOver("t-1", () => calls.push("again"));
    endOfSecond();
    expect(calls).toEqual([]);
    endOfFirst();
    endOfFirst();
    expect(calls).toEqual(["first", "again"]);
  });

  it("when the turn does not run in this process, then it is called at once", () => {
    const calls: string[] = [];
    turns().whenOver("t-1", () => calls.push("over"));
    expect(calls).toEqual(["over"]);
  });
});
