import { afterEach, describe, expect, it } from "vitest";
import { unlinkedPersonId } from "../../../core/people/person-record.ts";
import { countingBackbone } from "../../fakes/counting-backbone.ts";
import type { Script } from "../../fakes/scripted-model.ts";
import { CoreUnderTest, type TestOptions, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
const start = async (script: Script, options?: TestOptions) => {
  core = await CoreUnderTest.start(script, options);
  return core;
};
afterEach(() => core.dispose());

describe("given a person who writes to the agent", () => {
  it("when the model answers, then one final reply carries origin, audience and correlation id (O1, O3)", async () => {
    await start(["Hello Ann"]);
    const reply = await core.ask("m-1", "say **hello**", { link: "https://chat.example/m-1" });
    expect(reply).toMatchObject({
      kind: "final",
      markdown: "Hello Ann",
      outcome: "answered",
      correlationId: "m-1",
      traceId: "trace-m-1",
      origin: {
        channel: "web",
        promptSummary: "say hello",
        startedAt: "2026-03-10T21:14:00.000Z",
        sessionId: reply.sessionId,
        link: "https://chat.example/m-1",
      },
      audience: {
        conversation: { channel: "web", room: "room-1", kind: "private" },
        personId: unlinkedPersonId("default", "web", "ann"),
      },
    });
    expect(reply.sessionId).toMatch(/^s-[0-9a-f]{32}$/);
    expect(reply.id).toMatch(/^t-[0-9a-f]{32}\/final$/);
    expect(reply).not.toHaveProperty("mayRepeat");
    expect(reply).not.toHaveProperty("answers");
  });

  it("when the channel reports the id of the message, then the reply and its drafts name it (C1)", async () => {
    await start(["Hello Ann"]);
    expect(await core.ask("m-1", "hello", { messageId: "7.1" })).toMatchObject({ answers: "7.1" });
    expect(core.signals.items).toContainEqual(expect.objectContaining({ type: "delta", answers: "7.1" }));
  });

  it("when they write again, then the model sees the history, and the origin is that of the new message (O2)", async () => {
    await start(["one", "two"]);
    await core.ask("m-1", "first");
    const second = await core.ask("m-2", "second");
    expect(second.origin?.promptSummary).toBe("second");
    expect(core.model.requests.items[1]?.messages).toMatchObject([
      { role: "user", text: "first" },
      { role: "assistant", text: "one", toolCalls: [] },
      { role: "user", text: "second" },
    ]);
  });

  it("when two conversations are active, then neither sees the messages of the other", async () => {
    await start(() => "ok");
    await core.ask("m-1", "mine");
    await core.ask("m-2", "yours", { conversation: { channel: "web", room: "room-2", kind: "private" } });
    expect(core.model.requests.items[1]?.messages).toMatchObject([{ role: "user", text: "yours" }]);
  });

  it("when a room is shared, then the prompt has the author and the attachments", async () => {
    await start(["ok"]);
    const conversation = { channel: "web", room: "all", kind: "shared" as const };
    const attachments = [{ id: "a-1", name: "plan.pdf", mediaType: "application/pdf" }];
    await core.ask("m-1", "look", { conversation, attachments });
    expect(core.model.requests.items[0]?.messages).toMatchObject([
      { role: "user", text: expect.stringMatching(/^Ann: look\n\[attached: plan\.pdf, which you cannot read/) },
    ]);
  });

  it("when a plain message is answered, then core makes three durable writes, and the very first two more", async () => {
    const writes: string[][] = [];
    const wrap: TestOptions["wrap"] = (backbone) => {
      const counting = countingBackbone(backbone);
      writes.push(counting.writes);
      return counting;
    };
    await start(["one", "two"], { wrap });
    const [ofCore = []] = writes;
    const atStart = ofCore.length;
    await core.ask("m-1", "first");
    await core.ask("m-2", "second");
    const plain = ["put turns", "put history", "publish user.response"];
    // The time at which a person was last seen is written in the background, once a day.
    const written = ofCore.slice(atStart);
    expect(written.filter((write) => write === "put last-seen")).toHaveLength(1);
    expect(written.filter((write) => write !== "put last-seen")).toEqual(["put people", ...plain, ...plain]);
  });

  it("when messages arrive faster than answers, then they are answered in order", async () => {
    await start((request) => `re ${request.messages.filter(({ role }) => role === "user").length}`);
    const ids = ["m-1", "m-2", "m-3", "m-4", "m-5"];
    await Promise.all(ids.map((id) => core.receive(userMessage(id, `text of ${id}`))));
    const replies = await core.replies.count(5);
    expect(replies.map(({ correlationId }) => correlationId)).toEqual(ids);
    expect(replies.map(({ markdown }) => markdown)).toEqual(["re 1", "re 2", "re 3", "re 4", "re 5"]);
  });
});

describe("given a message that was answered", () => {
  it("when it is redelivered, then the model is not called again and there is one answer", async () => {
    await start(["one", "two"]);
    await core.ask("m-1", "first");
    await core.receive(userMessage("m-1", "first"), "m-1 again");
    await core.ask("m-2", "second");
    expect(core.model.requests.items).toHaveLength(2);
    expect(core.replies.items.map(({ correlationId }) => correlationId)).toEqual(["m-1", "m-2"]);
  });

  it("when it is redelivered to another process, then it is recognised as a duplicate", async () => {
    await start(["one", "two", "three"]);
    await core.ask("m-1", "first");
    await core.ask("m-2", "second");
    await core.stopCore();
    const next = await core.startCore();
    await core.receive(userMessage("m-1", "first"), "m-1 again");
    await core.ask("m-3", "third");
    await next.stop();
    expect(core.model.requests.items).toHaveLength(3);
    expect(core.model.requests.items[2]?.messages).toHaveLength(5);
  });
});
