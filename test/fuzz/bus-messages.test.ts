import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import type { Subject } from "../../core/contract/ports/subject.ts";
import { AGENT, CoreUnderTest, userMessage } from "../core/core-under-test.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutated } from "./mutated.ts";

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.start(() => "Done.");
});
afterAll(() => core.dispose());

const subjects = subjectsOf("default");
const agentRef = { tenant: "default", agent: AGENT };
const attachment = { id: "f-1", name: "a.txt", mediaType: "text/plain", bytes: 3 };

/** The subjects that core consumes, each with a valid message. */
const MESSAGES: readonly (readonly [Subject<never>, unknown])[] = [
  [subjects.userMessage(AGENT), userMessage("m", "hello", { replyTo: "r", attachments: [attachment] })],
  [subjects.userMessage(AGENT), userMessage("m", "/status", { command: { name: "status", args: "" } })],
  [subjects.subtaskRun(AGENT), { ...agentRef, id: "subtask-0123abcd" }],
  [
    subjects.subtaskMessage(AGENT),
    { ...agentRef, id: "x", ownerId: "s-1", subtaskId: "subtask-0123abcd", type: "question" },
  ],
  [subjects.batchTimer(AGENT), { ...agentRef, ownerId: "s-1", batchId: "b-1", at: 1_700_000_000_000 }],
  [subjects.peerCall(AGENT), { ...agentRef, id: "call-0123456789ab" }],
  [subjects.peerEvent(AGENT), { ...agentRef, id: "call-0123456789ab" }],
  [
    subjects.lateNotification(AGENT),
    {
      ...agentRef,
      primarySessionId: "s-1",
      subtaskId: "subtask-0123abcd",
      subtaskName: "a",
      peerAgent: "b",
      kind: "result",
      workingMemoryKey: "k",
    },
  ],
  [subjects.scheduleDue(AGENT), { ...agentRef, owner: "o", id: "schedule-1", dueAt: 1_700_000_000_000 }],
].map(([subject, message]) => [subject as Subject<never>, message]);

describe("given malformed messages on the bus (F19)", () => {
  it("when core consumes them, then each ends, and the next valid message is answered", async () => {
    const harm = watchHarm();
    const cases = fc
      .constantFrom(...MESSAGES)
      .chain(([subject, message]) => mutated([message]).map((bad) => ({ subject, bad })));
    let count = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ subject, bad }) => {
        const id = `case-${++count}`;
        // The bus refuses "undefined", which has no JSON form.
        await core.backbone.bus.publish(subject, (bad ?? null) as never, { id: `bad-${id}`, key: `bad-${id}` });
        const conversation = { channel: "web", room: id, kind: "private" } as const;
        const answer = await core.ask(id, "Still there?", { conversation, account: { id, name: "Ann" } });
        expect(answer.markdown).toBe("Done.");
      }),
      fuzzRuns(150),
    );
    harm.expectNone();
  });
});
