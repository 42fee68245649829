import { afterEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import { calls } from "../../fakes/scripted-model.ts";
import type { CoreUnderTest } from "../core-under-test.ts";
import { At, linkUp } from "../people/linked-core.ts";
import { delegates, Held, roles, startDelegating, subtaskIds } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const cancel = (args = "") => ({ command: { name: "cancel", args } });
const lobby: Conversation = { channel: "paper", room: "lobby", kind: "shared" };
const bob: MessageFields = { account: { id: "bob", name: "Bob" } };

const startWorking = async (where: MessageFields = {}) => {
  const held = new Held();
  core = await startDelegating(roles({ primary: delegates(["dig", "sift"], "on it"), subagent: () => held.answer }));
  await core.ask("m-1", "go", where);
  await held.asked;
};

describe("given running work", () => {
  it("when `cancel` has no id, then the running work is listed, with a button each (I3)", async () => {
    await startWorking();
    const { markdown, actions = [] } = await core.ask("m-2", "", cancel());
    expect(markdown).toMatch(/^What should I cancel\?\n- dig \(`subtask-[0-9a-f]{8}`\)\n- sift \(/);
    expect(actions.map(({ name, label }) => [name, label])).toEqual([
      ["cancel", "Cancel “dig”"],
      ["cancel", "Cancel “sift”"],
    ]);
    const pressed = await core.ask("m-3", "", cancel(actions[0]?.value));
    expect(pressed.markdown).toBe('"dig" is cancelled.');
    expect((await core.ask("m-4", "", cancel())).actions).toHaveLength(1);
  });

  it("when another person in the room asks, then it is not offered to them, and they cannot cancel it", async () => {
    await startWorking({ conversation: lobby });
    const [action] = (await core.ask("m-2", "", { conversation: lobby, ...cancel() })).actions ?? [];
    const offered = await core.ask("m-3", "", { conversation: lobby, ...bob, ...cancel() });
    expect(offered.markdown).toBe("I am not working on anything for you in this conversation.");
    const ended = await core.ask("m-4", "", { conversation: lobby, ...bob, ...cancel(action?.value) });
    expect(ended.markdown).toContain("belongs to another person");
  });
});

describe("given a room in which the agent works for one person (I3)", () => {
  it("when another person asks the agent to cancel it, then it is refused; for the asker it is cancelled", async () => {
    const held = new Held();
    const cancelCall = () => calls({ name: "cancel_subtask", input: { id: subtaskIds(core)[0] } });
    core = await startDelegating(
      roles({
        primary: (asked) =>
          asked.text.endsWith(": go") ? delegates(["dig"], "on it")(asked) : (asked.outputs[0] ?? cancelCall()),
        subagent: () => held.answer,
      }),
    );
    await core.ask("m-1", "go", { conversation: lobby });
    await held.asked;
    const refused = await core.ask("m-2", "end it", { conversation: lobby, ...bob });
    expect(refused.markdown).toContain("belongs to another person");
    expect((await core.ask("m-3", "end it", { conversation: lobby })).markdown).toMatch(/is cancelled\.$/);
  });
});

describe("given no running work", () => {
  it("when `cancel` has no id, then it says so", async () => {
    core = await startDelegating(roles({ primary: () => "hello" }));
    expect((await core.ask("m-1", "", cancel())).markdown).toBe("I am not working on anything for you.");
  });
});

describe("given work that a person has started with one of their accounts (D3, I3)", () => {
  let ann: At;
  let annElsewhere: At;
  const begin = async (isLinkedBefore: boolean) => {
    const held = new Held();
    core = await startDelegating(roles({ primary: delegates(["dig"], "on it"), subagent: () => held.answer }));
    ann = new At(core, "web", "ann");
    annElsewhere = new At(core, "paper", "anne");
    if (isLinkedBefore) await linkUp(ann, annElsewhere);
    await ann.say("go");
    await held.asked;
    const [action] = (await ann.say("", cancel())).actions ?? [];
    return action?.value ?? "";
  };

  it("when the account is linked meanwhile, then it can still cancel its work, and the newly linked one cannot", async () => {
    const id = await begin(false);
    await linkUp(ann, annElsewhere);
    expect(await annElsewhere.command("cancel")).toBe("I am not working on anything for you.");
    expect(await annElsewhere.command("cancel", id)).toContain("belongs to another person");
    expect(await ann.command("cancel", id)).toBe('"dig" is cancelled.');
  });

  it("when it was started after the link, then either account can cancel it", async () => {
    const id = await begin(true);
    expect(await annElsewhere.command("cancel")).toContain(id);
    expect(await annElsewhere.command("cancel", id)).toBe('"dig" is cancelled.');
  });

  it("when the account was unlinked since, then only that account can cancel it", async () => {
    const id = await begin(true);
    await ann.command("unlink");
    expect(await annElsewhere.command("cancel", id)).toContain("belongs to another person");
    expect(await ann.command("cancel", id)).toBe('"dig" is cancelled.');
  });
});
