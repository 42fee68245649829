import { describe, expect, it } from "vitest";
import { orderKey, syntheticMessage } from "../../../core/contract/messages/user-message.ts";
import type { OwnerContext } from "../../../core/contract/messages/work-context.ts";
import { sampleMessage } from "../../fakes/sample-message.ts";

const person = sampleMessage({ id: "m-1", text: "hi" });
const { conversation } = person;
const AT = "2026-03-10T21:14:00.000Z";

/** A callback turn in this session. */
const callback = (ownerType: OwnerContext["ownerType"], sessionId: string) =>
  syntheticMessage(
    { tenant: "default", agent: "mooring" },
    {
      sessionId,
      standing: { owner: { ownerType, ownerId: sessionId }, rootTurnId: "t", background: false },
      origin: { channel: "web", promptSummary: "tides", startedAt: AT, sessionId },
      audience: { conversation, personId: "p", accountId: "ann" },
      asker: { personId: "p", accountId: "ann", name: "Ann" },
      traceId: "trace",
    },
    {
      id: "callback/call-1",
      type: "callback",
      at: AT,
      data: { call: "call-1", peer: "harbour", name: "Asking harbour" },
    },
  );

describe("given messages of one session", () => {
  it("when a conversation gets a callback, then it runs in the order of the person's messages there (A6)", () => {
    expect(orderKey(callback("agent", "s-1"))).toBe(orderKey(person));
  });

  it("when the session of a schedule run gets a callback, then it runs in the order of that session only (P1)", () => {
    const ofRun = orderKey(callback("orchestrator", "run-1"));
    expect(ofRun).toBe(orderKey(callback("orchestrator", "run-1")));
    expect([orderKey(person), orderKey(callback("orchestrator", "run-2"))]).not.toContain(ofRun);
  });
});
