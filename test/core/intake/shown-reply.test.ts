import { afterEach, describe, expect, it } from "vitest";
import type { UserMessage } from "../../../core/contract/messages/user-message.ts";
import { readHistory } from "../../../core/sessions/session-history.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const origin = {
  channel: "slack",
  promptSummary: "deep research",
  startedAt: "2026-03-10T20:00:00.000Z",
  sessionId: "s-slack",
};
/** What a relay tells core once a platform shows an answer that began elsewhere. */
const shown = (replyId: string, markdown: string): UserMessage =>
  userMessage(`shown/${replyId}/here`, "", {
    shown: { replyId, markdown, origin, at: "2026-03-10T21:14:00.000Z" },
  });
const said = (text: string) => ({ role: "assistant", text, toolCalls: [] });
const told = (number: number) => core.model.requests.items[number]?.messages;

describe("given an answer that was shown in a conversation where nobody had asked for it", () => {
  it("when people go on talking there, then the agent knows what it said, in order, once (O15)", async () => {
    core = await CoreUnderTest.start(["one", "two"]);
    const { sessionId } = await core.ask("m-1", "first");
    await core.receive(shown("t-9/final", "the research is done"));
    await core.receive(shown("t-9/final", "the research is done"), "again");
    await core.ask("m-2", "second");
    expect(told(1)).toEqual([
      { role: "user", text: "first" },
      said("one"),
      said('[shown here later about "deep research"]\nthe research is done'),
      { role: "user", text: "second" },
    ]);
    const entries = await readHistory(core.backbone.store, sessionId ?? "", 0);
    expect(entries.map(({ kind }) => kind)).toEqual(["turn", "said", "turn"]);
    expect(entries[1]).toMatchObject({ replyId: "t-9/final", origin });
    expect(core.replies.items).toHaveLength(2);
  });

  it("when the news comes again after `new`, then it stays in the session in which it was shown (O15)", async () => {
    core = await CoreUnderTest.start(["one", "two"]);
    await core.ask("m-1", "first");
    await core.receive(shown("t-9/final", "done"));
    await core.ask("m-2", "", { command: { name: "new", args: "" } });
    await core.receive(shown("t-9/final", "done"), "again");
    await core.ask("m-3", "second");
    expect(told(1)).toEqual([{ role: "user", text: "second" }]);
  });

  it("when the process dies before it was written down, then it is, by the next one (O15)", async () => {
    core = await CoreUnderTest.start(["one"], {
      checkpoint: async (name) => {
        if (name === "shown.placed" && !died) {
          died = true;
          throw new Error("dead");
        }
      },
    });
    let died = false;
    await core.receive(shown("t-9/final", "done"));
    await core.ask("m-1", "and?");
    expect(died).toBe(true);
    expect(told(0)).toEqual([said('[shown here later about "deep research"]\ndone'), { role: "user", text: "and?" }]);
  });
});
