import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { SdkAgent, TaskState, type Work } from "../fakes/a2a/sdk-agent.ts";
import { Gate } from "../fakes/model-answer.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { type Backbone, Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);

let agent: SdkAgent;
let product: Product;
let mooring: StartedProcess;
let slack: FakeSlack | undefined;
let gate: Gate;
afterEach(async () => {
  gate.release();
  await product?.dispose();
  await slack?.stop();
  slack = undefined;
  await agent.stop();
});

/** A bare agent of the SDK: it streams, asks, sends files, works for long, and never ends, as the person says. */
const behave = async (work: Work): Promise<void> => {
  if (work.round > 1) return work.answer(`In ${work.text}: three ships.`);
  switch (work.text) {
    case "stream":
      work.status(TaskState.TASK_STATE_WORKING, "looking at the tide");
      work.chunk("High water ");
      await gate.opened;
      work.chunk("at noon.", { append: true, lastChunk: true });
      return work.status(TaskState.TASK_STATE_COMPLETED);
    case "ask":
      return work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "Which harbour?");
    case "file":
      work.artifact("report", [
        { text: "The report:" },
        { url: "https://files.example/tide.pdf", filename: "tide.pdf", mediaType: "application/pdf" },
      ]);
      return work.status(TaskState.TASK_STATE_COMPLETED);
    case "wait":
      work.status(TaskState.TASK_STATE_WORKING, "waiting");
      await gate.opened;
      return work.answer("It was worth it.");
    default:
      return work.answer(`You said: ${work.text}`);
  }
};

const run = async (backbone: Backbone, model: object = {}, channels: object = {}) => {
  gate = new Gate();
  agent = await SdkAgent.start(behave, { token: "the-token-of-the-agent" });
  product = await Product.create({
    backbone,
    config: {
      agents: [
        { name: "mooring", model: { provider: "a2a", url: agent.url, token: "the-token-of-the-agent", ...model } },
      ],
      channels: { web: { adapter: "web" }, ...channels },
    },
  });
  mooring = await product.start("start");
  await mooring.ready();
  return product.client("visitor", () => mooring.address);
};

describe.each<Backbone>(["embedded", "nats"])("given an agent elsewhere behind the channels, on %s", (backbone) => {
  it("when a visitor writes, then streams, questions and files arrive like our own (T6)", async () => {
    const visitor = await run(backbone);
    const streamed = visitor.say("stream");
    await visitor.until(() => JSON.stringify(visitor.deltas).includes("High water"), "the text as it is written");
    gate.release();
    expect((await visitor.answerTo(streamed)).markdown).toBe("High water at noon.");
    expect((await visitor.answerTo(visitor.say("ask"))).markdown).toBe("Which harbour?");
    expect((await visitor.answerTo(visitor.say("Bergen"))).markdown).toBe("In Bergen: three ships.");
    expect((await visitor.answerTo(visitor.say("file"))).markdown).toContain(
      "[file: tide.pdf, application/pdf, https://files.example/tide.pdf]",
    );
    expect(new Set(agent.received.map(({ contextId }) => contextId)).size).toBe(1);
    await visitor.answerTo(visitor.command("new"));
    await visitor.answerTo(visitor.say("hello"));
    expect(new Set(agent.received.map(({ contextId }) => contextId)).size).toBe(2);
  });

  it("when the process is killed while the agent works, then the next one resumes the task by its id (T6)", async () => {
    const visitor = await run(backbone);
    const message = visitor.say("wait");
    await visitor.until(() => JSON.stringify(visitor.deltas).includes("waiting"), "the agent's progress");
    await mooring.end("SIGKILL");
    mooring = await product.start("start");
    await mooring.ready();
    gate.release();
    expect((await visitor.answerTo(message)).markdown).toBe("It was worth it.");
    expect(agent.received).toHaveLength(1);
  });

  it("when a task never ends, then the deadline or the person ends it, and it is cancelled (T6)", async () => {
    const visitor = await run(backbone, { deadlineMs: 3_000 });
    expect((await visitor.answerTo(visitor.say("wait"))).markdown).toContain("did not finish in time");
    await agent.cancelled.count(1);
    const stopped = visitor.say("wait");
    await visitor.until(() => JSON.stringify(visitor.deltas).split("waiting").length > 2, "the second task");
    visitor.command("cancel", "answer");
    expect((await visitor.answerTo(stopped)).markdown).toContain("_Stopped._");
    await agent.cancelled.count(2);
  });

  it("when a task takes longer than a turn waits, then its answer arrives later, also after a kill (T6)", async () => {
    const visitor = await run(backbone, { waitMs: 1_000 });
    expect((await visitor.answerTo(visitor.say("wait"))).markdown).toContain("still working on this");
    expect((await visitor.answerTo(visitor.say("hello"))).markdown).toBe("You said: hello");
    await mooring.end("SIGKILL");
    mooring = await product.start("start");
    await mooring.ready();
    gate.release();
    const isLate = ({ markdown, correlationId }: (typeof visitor.log)[number]) =>
      markdown?.includes("It was worth it.") === true && correlationId === undefined;
    await visitor.until(() => visitor.log.some(isLate), "the late answer");
    expect(visitor.log.filter(isLate)).toHaveLength(1);
    expect(agent.received).toHaveLength(2);
  });

  it("when a person writes in Slack, then the answer is posted there, and the agent does not get their name (T6)", async () => {
    slack = await FakeSlack.start();
    const { botToken, apiUrl, signingSecret } = slack;
    await run(backbone, {}, { slack: { adapter: "slack", botToken, apiUrl, signingSecret } });
    slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
    await slack.say({ room: "C0LOBBY", text: "<@U0BOT> hi there", ts: slack.world.nextTs(), as: "app_mention" });
    await slack.until((posted) => posted.length >= 1);
    expect(slack.posted[0]?.text).toBe("You said: hi there");
    expect(JSON.stringify(agent.received)).not.toMatch(/ann|C0LOBBY|slack/i);
  });

  it("when the agent goes away, then the person gets a clear text, and the log has the address", async () => {
    const visitor = await run(backbone, { unreachableMs: 1_000 });
    const { url } = agent;
    await agent.stop();
    const { markdown } = await visitor.answerTo(visitor.say("hello"));
    expect(markdown).toContain("I cannot reach the agent that answers here right now.");
    expect(mooring.stdout() + mooring.stderr()).toContain("ECONNREFUSED");
    agent = await SdkAgent.start(behave, {}, Number(new URL(url).port));
    expect((await visitor.answerTo(visitor.say("hello"))).markdown).toBe("You said: hello");
  });
});
