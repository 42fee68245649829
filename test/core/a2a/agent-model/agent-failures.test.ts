import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { SdkAgent, type SdkAgentOptions, TaskState, type Work } from "../../../fakes/a2a/sdk-agent.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { AGENT, userMessage } from "../../core-under-test.ts";
import { asTimePasses } from "../peers-under-test.ts";
import { type AgentSetting, answeredBy, type HostedPair, startHosted, stopHosted } from "./agent-under-test.ts";

let pair: HostedPair;
let isOver = false;
afterEach(async () => {
  isOver = true;
  await stopHosted(pair);
});
const start = async (behave: (work: Work) => Promise<void> | void, setting: AgentSetting = {}): Promise<HostedPair> => {
  isOver = false;
  pair = await startHosted(behave, setting);
  return pair;
};

const answers = (work: Work) => work.answer("three");
const until = async (isDone: () => boolean): Promise<void> => {
  while (!isOver && !isDone()) await new Promise(setImmediate);
};
/** Works until the test is over. */
const neverEnds = async (work: Work): Promise<void> => {
  work.status(TaskState.TASK_STATE_WORKING, "counting");
  await until(() => false);
};
const worksUntil =
  (method: string) =>
  async (work: Work): Promise<void> => {
    work.status(TaskState.TASK_STATE_WORKING, "counting");
    await until(() => pair.agent.requests.includes(method));
    work.answer("three");
  };
/** Answers requests of the protocol itself, but serves the card. */
const responding = (respond: (response: ServerResponse) => void): SdkAgentOptions => ({
  intercept: (_request, response, body) => {
    if (body === "") return false;
    respond(response);
    return true;
  },
});
const askAsTimePasses = async (id = "m-1") => {
  await pair.core.receive(userMessage(id, "go"));
  return asTimePasses(pair.core, pair.core.replyTo(id));
};

describe("given an agent elsewhere that dies in the middle of a stream", () => {
  it("when its task goes on, then a new subscription gets the answer, and nothing is sent again (T6)", async () => {
    const { agent } = await start(worksUntil("SubscribeToTask"), {
      elsewhere: { isCut: (method) => method === "SendStreamingMessage" },
    });
    expect((await askAsTimePasses()).markdown).toBe("three");
    expect(agent.received).toHaveLength(1);
  });

  it("when every stream dies, then its task is polled", async () => {
    const { agent } = await start(worksUntil("GetTask"), { elsewhere: { isCut: (method) => method !== "GetTask" } });
    expect((await askAsTimePasses()).markdown).toBe("three");
    expect(agent.received).toHaveLength(1);
  });

  it("when it lost the task, then the person gets a clear text, and nothing is sent again", async () => {
    const { agent } = await start(neverEnds, {
      elsewhere: { isCut: (method) => method === "SendStreamingMessage" },
    });
    await pair.core.receive(userMessage("m-1", "go"));
    await until(() => agent.received.length === 1);
    agent.restart();
    expect(await asTimePasses(pair.core, pair.core.replyTo("m-1"))).toMatchObject({
      outcome: "failed",
      markdown: expect.stringContaining("could not handle your message"),
    });
    expect(agent.received).toHaveLength(1);
  });
});

describe("given an agent elsewhere that fails", () => {
  it.each([
    ["is down", responding((response) => response.destroy()), "I cannot reach the agent"],
    ["answers 503", responding((response) => response.writeHead(503).end()), "I cannot reach the agent"],
    ["answers 401", responding((response) => response.writeHead(401).end()), "does not accept my credentials"],
    ["answers rubbish", responding((response) => response.writeHead(200).end("<html>hello")), "could not read"],
    [
      "has no card",
      { intercept: (_: unknown, response: ServerResponse) => !!response.writeHead(404).end() },
      "could not read",
    ],
  ])(
    "when it %s, then the person gets a clear text without addresses, and the log has the details (T6)",
    async (_, elsewhere, text) => {
      const logger = new RecordingLogger();
      const { agent } = await start(answers, { elsewhere, logger, endpoint: { unreachableMs: 2_000 } });
      const reply = await askAsTimePasses();
      expect(reply).toMatchObject({ outcome: "failed", markdown: expect.stringContaining(text) });
      expect(reply.markdown).not.toContain(agent.url.slice("http://".length));
      expect(JSON.stringify(logger.lines.items)).toContain("model failed");
    },
  );

  it.each([
    [TaskState.TASK_STATE_FAILED, "could not finish this: no ships at [address]"],
    [TaskState.TASK_STATE_REJECTED, "declined this: no ships"],
    [TaskState.TASK_STATE_AUTH_REQUIRED, "requires a sign-in, which is not possible in this chat"],
  ])("when its task ends in state %s, then the person learns why (T6)", async (state, text) => {
    const { core } = await start((work) => work.status(state, "no ships at http://10.0.0.7:8080/x"));
    const reply = await core.ask("m-1", "go");
    expect(reply.outcome).toBe("failed");
    expect(reply.markdown).toContain(text);
    expect(reply.markdown).not.toContain("10.0.0.7");
  });

  it("when it is away for a moment, then the message is sent once it is back", async () => {
    let refusals = 2;
    const { agent } = await start(answers, {
      elsewhere: {
        intercept: (_request, response, body) => {
          if (body === "" || refusals-- <= 0) return false;
          response.writeHead(503).end();
          return true;
        },
      },
    });
    expect((await askAsTimePasses()).markdown).toBe("three");
    expect(agent.received).toHaveLength(1);
  });

  it("when it moves and changes its card, then the card is read again (T6)", async () => {
    const moved = await SdkAgent.start(answers);
    const { core, agent } = await start(answers);
    await core.ask("m-1", "go");
    agent.options = {
      cardUrl: moved.url,
      intercept: (_request, response, body) => body !== "" && !!response.writeHead(404).end("moved"),
    };
    // An address that only the card names must be public.
    const reply = await askAsTimePasses("m-2");
    expect(reply).toMatchObject({ outcome: "failed", markdown: expect.stringContaining("I cannot reach the agent") });
    expect(moved.received).toEqual([]);
    await moved.stop();
  });
});

describe("given an agent elsewhere whose task never ends", () => {
  it("when the deadline passes, then the person gets a clear text, and the task is cancelled (T6)", async () => {
    const { core, agent } = await start(neverEnds, { endpoint: { deadlineMs: 20_000 } });
    await core.receive(userMessage("m-1", "go"));
    await until(() => agent.received.length === 1);
    await core.clock.passNext(20_000);
    const reply = await core.replyTo("m-1");
    expect(reply).toMatchObject({ outcome: "failed", markdown: expect.stringContaining("did not finish in time") });
    await agent.cancelled.count(1);
    expect(agent.requests).toContain("CancelTask");
  });

  it("when the asking person stops it, then the task is cancelled (T6)", async () => {
    const { core, agent } = await start(neverEnds);
    await core.receive(userMessage("m-1", "go"));
    await until(() => agent.received.length === 1 && core.signals.items.some(({ type }) => type === "delta"));
    const reported = new Recorder<string>();
    const subjects = subjectsOf("default");
    const listening = await core.backbone.bus.listen(subjects.turnsReported(AGENT), ({ ask }) => reported.add(ask));
    const command = userMessage("m-2", "", { command: { name: "cancel", args: "answer" } });
    // Under its own key, as the inbox publishes commands.
    await core.backbone.bus.publish(subjects.userMessage(AGENT), command, { id: "m-2", key: "commands" });
    await reported.until((asks) => asks.includes("m-2"));
    await core.clock.passNext(150);
    expect(await core.replyTo("m-1")).toMatchObject({
      outcome: "cancelled",
      markdown: expect.stringContaining("_Stopped._"),
    });
    await agent.cancelled.count(1);
    listening.close();
  });

  it("when this process stops, then the task goes on, and the next process resumes it by its id (T6)", async () => {
    const { core, agent } = await start(worksUntil("SubscribeToTask"));
    await core.receive(userMessage("m-1", "go"));
    await until(() => agent.received.length === 1 && core.signals.items.some(({ type }) => type === "delta"));
    const stopped = core.stopCore();
    core.clock.advance(10_000);
    await stopped;
    expect(agent.cancelled.items).toEqual([]);
    const next = await core.startCore({ agent: { model: answeredBy(agent.url) } });
    expect((await asTimePasses(core, core.replyTo("m-1"))).markdown).toBe("three");
    expect(agent.received).toHaveLength(1);
    await next.stop();
  });
});
