import { describe, expect, it } from "vitest";
import { inheritedBySubtask, parentContextOf, type Subtask } from "../../../core/contract/messages/subtask.ts";
import type { WorkContext } from "../../../core/contract/messages/work-context.ts";

const owner = { ownerType: "agent", ownerId: "s-1" } as const;
const session: WorkContext = {
  sessionId: "s-1",
  standing: { owner, depth: 0, rootTurnId: "t-1", background: false },
  origin: { channel: "web", promptSummary: "tides", startedAt: "2026-03-10T21:14:00.000Z", sessionId: "s-1" },
  audience: { conversation: { channel: "web", room: "r", kind: "private" }, personId: "p-1" },
  asker: { personId: "p-1", accountId: "ann", name: "Ann" },
  traceId: "trace",
};
const chain = { root: "m-1", hops: { "a b": 1 }, lastHopAt: 1 };
const subagent: WorkContext = {
  ...session,
  sessionId: "s-2",
  standing: { ...session.standing, depth: 1, background: true, subtaskId: "subtask-00000001", chain },
};

describe("given a turn that starts a subtask (O2)", () => {
  it.each([
    ["a session", session],
    ["a subagent", subagent],
  ])("when it is a turn of %s, then its work context can be read back from the record", (_, context) => {
    expect(parentContextOf(inheritedBySubtask(context) as Subtask)).toStrictEqual(context);
  });

  it("then the subtask is one level deeper", () => {
    expect(inheritedBySubtask(subagent)).toMatchObject({
      depth: 2,
      parentSubtaskId: "subtask-00000001",
      planId: "t-1",
    });
  });
});
