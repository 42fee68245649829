import { afterEach, describe, expect, it } from "vitest";
import { TaskState, type Work } from "../../../fakes/a2a/sdk-agent.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import { userMessage } from "../../core-under-test.ts";
import { asTimePasses } from "../peers-under-test.ts";
import { type HostedPair, startHosted, stopHosted, streamedTo } from "./agent-under-test.ts";

let pair: HostedPair;
afterEach(() => stopHosted(pair));
const start = async (...args: Parameters<typeof startHosted>): Promise<HostedPair> => {
  pair = await startHosted(...args);
  return pair;
};

const echo = (work: Work) => work.answer(`You said: ${work.text}`);

describe("given an agent elsewhere that answers for ours", () => {
  it("when a person writes, then its artifact is the answer, and it got the message alone (T6)", async () => {
    const { core, agent } = await start(echo);
    expect(await core.ask("m-1", "hello")).toMatchObject({ markdown: "You said: hello", outcome: "answered" });
    expect(agent.received.map(({ parts }) => parts.length)).toEqual([1]);
    expect(agent.requests).toEqual(["SendStreamingMessage"]);
  });

  it("when a session goes on, then its context stays, and `new` starts another (T6)", async () => {
    const { core, agent } = await start(echo);
    await core.ask("m-1", "one");
    await core.ask("m-2", "two");
    await core.ask("m-3", "/new", { command: { name: "new", args: "" } });
    await core.ask("m-4", "three");
    const [first, second, third] = agent.received.map(({ contextId }) => contextId);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(new Set(agent.received.map(({ messageId }) => messageId)).size).toBe(3);
  });

  it("when it names a context of its own, then the next message has that one", async () => {
    const { core, agent } = await start(echo, { elsewhere: { ownContext: "chosen-by-the-agent" } });
    await core.ask("m-1", "one");
    await core.ask("m-2", "two");
    expect(agent.received[0]?.contextId).not.toBe("chosen-by-the-agent");
    expect(agent.received[1]?.contextId).toBe("chosen-by-the-agent");
  });

  it("when it answers with a message instead of a task, then that is the answer", async () => {
    const { core } = await start(echo, { elsewhere: { replies: (text) => `Directly: ${text}` } });
    expect((await core.ask("m-1", "hello")).markdown).toBe("Directly: hello");
  });

  it("when it cannot stream, then its task is polled", async () => {
    const gate = new Gate();
    const behave = async (work: Work) => {
      work.status(TaskState.TASK_STATE_WORKING, "counting");
      await gate.opened;
      work.answer("three");
    };
    const { core, agent } = await start(behave, { elsewhere: { capabilities: { streaming: false } } });
    await core.receive(userMessage("m-1", "count"));
    await core.clock.passNext(500);
    gate.release();
    expect((await asTimePasses(core, core.replyTo("m-1"))).markdown).toBe("three");
    expect(agent.requests.slice(0, 2)).toEqual(["SendMessage", "GetTask"]);
  });
});

describe("given an agent elsewhere that streams its answer", () => {
  it("when it writes, then people see progress, then the text as it grows, and the final is the text alone", async () => {
    const gate = new Gate();
    const { core } = await start(async (work) => {
      work.status(TaskState.TASK_STATE_WORKING, "looking at\nthe tide");
      work.chunk("High ");
      work.chunk("water ", { append: true });
      await gate.opened;
      work.chunk("at noon", { append: true, lastChunk: true });
      work.status(TaskState.TASK_STATE_COMPLETED);
    });
    await core.receive(userMessage("m-1", "when?"));
    await core.signals.until(() => streamedTo(pair, "m-1") !== "");
    await core.clock.passNext(40);
    await core.signals.until(() => streamedTo(pair, "m-1").includes("water"));
    expect(streamedTo(pair, "m-1")).toBe("_looking at the tide_\n\nHigh water ");
    gate.release();
    expect((await core.replyTo("m-1")).markdown).toBe("High water at noon");
  });

  it("when it has files and data, then people get files with content, and others are named with type and link (T6)", async () => {
    const { core } = await start((work) => {
      work.artifact("a", [
        { text: "Here it is:" },
        { data: { metres: 9 } },
        { url: "https://files.example/tide.pdf", filename: "tide.pdf", mediaType: "application/pdf" },
        { raw: Buffer.alloc(12_345).toString("base64"), filename: "map.png", mediaType: "image/png" },
        { url: "javascript:alert(1)", filename: "bad [x](y)\nname" },
      ]);
      work.status(TaskState.TASK_STATE_COMPLETED);
    });
    const { markdown, files } = await core.ask("m-1", "files?");
    expect(files).toMatchObject([{ name: "map.png", mediaType: "image/png", bytes: 12_345 }]);
    expect(markdown.split("\n")).toEqual([
      "Here it is:",
      '{"metres":9}',
      "[file: tide.pdf, application/pdf, https://files.example/tide.pdf]",
      "[file: bad x (y) name]",
    ]);
  });

  it("when it reports tokens, then they are counted; else none are (T6)", async () => {
    const { core, agent } = await start(echo, {
      elsewhere: { metadata: { usage: { input_tokens: 7, output_tokens: 3 } } },
    });
    await core.ask("m-1", "hello");
    const tokens = () => [
      core.meter.counts["model_tokens_total a2a/test input"],
      core.meter.counts["model_tokens_total a2a/test output"],
    ];
    expect(tokens()).toEqual([7, 3]);
    agent.options = {};
    await core.ask("m-2", "hello");
    expect(tokens()).toEqual([7, 3]);
  });
});

describe("given an agent elsewhere that asks a question", () => {
  const asks = (work: Work) =>
    work.round === 1
      ? work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "Which harbour?")
      : work.answer(`In ${work.text}: three.`);

  it("when the person answers, then the same task continues, and the next message starts another (T6)", async () => {
    const { core, agent } = await start(asks);
    expect((await core.ask("m-1", "ships?")).markdown).toBe("Which harbour?");
    expect((await core.ask("m-2", "Bergen")).markdown).toBe("In Bergen: three.");
    expect((await core.ask("m-3", "and now?")).markdown).toBe("Which harbour?");
    const [first, second, third] = agent.received;
    expect(second?.taskId).toBe(first?.taskId);
    expect(third?.taskId).not.toBe(first?.taskId);
    expect(second?.contextId).toBe(first?.contextId);
  });

  it("when a person in another conversation writes, then the question waits", async () => {
    const { core, agent } = await start(asks);
    await core.ask("m-1", "ships?");
    const elsewhere = { channel: "web", room: "room-2", kind: "private" as const };
    expect((await core.ask("m-2", "ships?", { conversation: elsewhere })).markdown).toBe("Which harbour?");
    expect(agent.received[1]?.contextId).not.toBe(agent.received[0]?.contextId);
    expect((await core.ask("m-3", "Oslo")).markdown).toBe("In Oslo: three.");
  });

  it("when its task is gone, then the answer starts another task", async () => {
    const { core, agent } = await start(asks);
    await core.ask("m-1", "ships?");
    agent.restart();
    expect((await core.ask("m-2", "Bergen")).markdown).toBe("Which harbour?");
  });
});
