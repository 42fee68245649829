import { afterEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../../core/contract/conversation.ts";
import type { UserMessage } from "../../../core/contract/user-message.ts";
import type { CoreUnderTest } from "../core-under-test.ts";
import { delegates, Held, roles, startDelegating } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const cancel = (args = "") => ({ command: { name: "cancel", args } });
const lobby: Conversation = { channel: "paper", room: "lobby", kind: "shared" };
const bob: Partial<UserMessage> = { account: { id: "bob", name: "Bob" } };

const startWorking = async (where: Partial<UserMessage> = {}) => {
  const held = new Held();
  core = await startDelegating(roles({ primary: delegates(["dig", "sift"], "on it"), subagent: () => held.answer }));
  await core.ask("m-1", "go", where);
  await held.asked;
};

describe("given work under way", () => {
  it("when `cancel` comes without an id, then what can be cancelled is shown, with a button each (I3)", async () => {
    await startWorking();
    const { markdown, actions = [] } = await core.ask("m-2", "", cancel());
    expect(markdown).toMatch(/^Which work should I end\?\n- dig \(`subtask-[0-9a-f]{8}`\)\n- sift \(/);
    expect(actions.map(({ name, label }) => [name, label])).toEqual([
      ["cancel", "Cancel “dig”"],
      ["cancel", "Cancel “sift”"],
    ]);
    const pressed = await core.ask("m-3", "", cancel(actions[0]?.value));
    expect(pressed.markdown).toBe('"dig" is cancelled.');
    expect((await core.ask("m-4", "", cancel())).actions).toHaveLength(1);
  });

  it("when somebody else in the room asks, then it is not offered to them, and not ended by them", async () => {
    await startWorking({ conversation: lobby });
    const [action] = (await core.ask("m-2", "", { conversation: lobby, ...cancel() })).actions ?? [];
    const offered = await core.ask("m-3", "", { conversation: lobby, ...bob, ...cancel() });
    expect(offered.markdown).toBe("Nothing of yours is under way in this conversation.");
    const ended = await core.ask("m-4", "", { conversation: lobby, ...bob, ...cancel(action?.value) });
    expect(ended.markdown).toContain("belongs to somebody else");
  });
});

describe("given nothing under way", () => {
  it("when `cancel` comes without an id, then it says so", async () => {
    core = await startDelegating(roles({ primary: () => "hello" }));
    expect((await core.ask("m-1", "", cancel())).markdown).toBe("Nothing of yours is under way.");
  });
});
