import { afterEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { changeHeld } from "../../../core/delivery/undelivered/held-record.ts";
import { Recorder } from "../../fakes/recorder.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import type { CoreUnderTest } from "../core-under-test.ts";
import { AGENT, userMessage } from "../core-under-test.ts";
import { delegates, Held, roles, startDelegating } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const GATHER_MS = 150;
const annsOther: Conversation = { channel: "web", room: "room-2", kind: "private" };
const lobby: Conversation = { channel: "web", room: "lobby", kind: "shared" };
const bob: MessageFields = {
  account: { id: "bob", name: "Bob" },
  conversation: { channel: "web", room: "bobs", kind: "private" },
};

const askStatus = async (
  id: string,
  more: MessageFields = {},
  untilReported: () => Promise<unknown> = async () => undefined,
): Promise<AgentReply> => {
  await core.receive(userMessage(id, "", { command: { name: "status", args: "" }, ...more }));
  await untilReported();
  await core.clock.passNext(GATHER_MS);
  return core.replyTo(id);
};

describe("given running work of a person (I3)", () => {
  it("when they ask for the status in another conversation, then it is listed with its age, and can be cancelled", async () => {
    const held = new Held();
    core = await startDelegating(roles({ primary: delegates(["dig"], "on it"), subagent: () => held.answer }));
    await core.ask("m-1", "go");
    await held.asked;
    core.clock.advance(4 * 60_000);
    const { markdown, actions } = await askStatus("m-2", { conversation: annsOther });
    expect(markdown).toMatch(/^In progress for you:\n- dig \(`subtask-[0-9a-f]{8}`\): working, started 4 min ago$/);
    expect(actions).toMatchObject([{ name: "cancel", label: "Cancel “dig”" }]);
    expect((await askStatus("m-3", bob)).markdown).toContain("I am not working on anything for you");
    const cancelled = { conversation: annsOther, command: { name: "cancel", args: actions?.[0]?.value ?? "" } };
    expect((await core.ask("m-4", "", cancelled)).markdown).toBe('"dig" is cancelled.');
  });

  it("when a turn still runs in any process, then it is listed, and the status does not wait for it", async () => {
    const held = new Held();
    core = await startDelegating(roles({ primary: () => held.answer }));
    const other = await core.startCore();
    await core.receive(userMessage("m-1", "think long and hard"));
    await held.asked;
    const reported = new Recorder<string>();
    await core.backbone.bus.listen(subjectsOf("default").turnsReported(AGENT), ({ ask }) => reported.add(ask));
    const { markdown } = await askStatus("m-2", { conversation: annsOther }, () => reported.count(1));
    expect(markdown).toBe("In progress for you:\n- answering “think long and hard”, started just now");
    held.give("done");
    await core.replyTo("m-1");
    await other.stop();
  });

  it("when they ask in a shared room, then only they see the answer", async () => {
    core = await startDelegating(roles({ primary: () => "hello" }));
    expect(await askStatus("m-1", { conversation: lobby })).toMatchObject({ onlyFor: "ann" });
  });
});

describe("given held deliveries of a person", () => {
  it("when they ask for the status, then it says how many wait and until when (D2)", async () => {
    core = await startDelegating(roles({ primary: () => "hello" }));
    const heldAt = "2026-03-10T21:00:00.000Z";
    const notBefore = Date.parse("2026-03-11T07:00:00.000Z");
    const { conversation } = userMessage("", "");
    await changeHeld(core.backbone.store, conversation, (record) => ({
      ...record,
      items: [{ id: "r-1", heldAt, notBefore }],
    }));
    const account = { id: "ann", name: "Ann", timeZone: "UTC", locale: "en-GB" };
    expect((await askStatus("m-1", { account })).markdown).toContain(
      "- 1 message waits for you on Web, until 11 Mar, 07:00",
    );
  });
});
