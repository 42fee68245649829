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
/** The report of a relay that a platform shows a reply from another conversation. */
const shown = (replyId: string, markdown: string): UserMessage =>
  userMessage(`shown/${replyId}/here`, "", {
    shown: { replyId, markdown, origin, at: "2026-03-10T21:14:00.000Z" },
  });
const said = (text: string) => ({ role: "assistant", text, toolCalls: [] });
const promptOf = (number: number) => core.model.requests.items[number]?.messages;

describe("given a proactive message in another conversation than its origin", () => {
  it("when people continue the conversation, then the history has the message once and in order (O15)", async () => {
    core = await CoreUnderTest.start(["one", "two"]);
    const { sessionId } = await core.ask("m-1", "first");
    await core.receive(shown("t-9/final", "the research is done"));
    await core.receive(shown("t-9/final", "the research is done"), "again");
    await core.ask("m-2", "second");
    expect(promptOf(1)).toMatchObject([
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

  it("when the report is redelivered after `new`, then the message stays in the session that showed it (O15)", async () => {
    core = await CoreUnderTest.start(["one", "two"]);
    await core.ask("m-1", "first");
    await core.receive(shown("t-9/final", "done"));
    await core.ask("m-2", "", { command: { name: "new", args: "" } });
    await core.receive(shown("t-9/final", "done"), "again");
    await core.ask("m-3", "second");
    expect(promptOf(1)).toMatchObject([{ role: "user", text: "second" }]);
  });

  it("when the process crashes before it stored the message, then the retry stores it (O15)", async () => {
    core = await CoreUnderTest.start(["one"], {
      checkpoint: async (name) => {
        if (name === "posted.located" && !crashed) {
          crashed = true;
          throw new Error("simulated crash");
        }
      },
    });
    let crashed = false;
    await core.receive(shown("t-9/final", "done"));
    await core.ask("m-1", "and?");
    expect(crashed).toBe(true);
    expect(promptOf(0)).toMatchObject([
      said('[shown here later about "deep research"]\ndone'),
      { role: "user", text: "and?" },
    ]);
  });
});
