import { afterEach, describe, expect, it } from "vitest";
import { readExtension } from "../../../../core/a2a/record/hops.ts";
import { activityOf } from "../../../../core/contract/messages/agent-reply.ts";
import { Secret } from "../../../../core/contract/secret.ts";
import { TaskState, type Work } from "../../../fakes/a2a/sdk-agent.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { userMessage } from "../../core-under-test.ts";
import { asks, isPause, theCall, toolOutputs, untilUnsolicitedAsTimePasses } from "../peers-under-test.ts";
import { type RemotePair, startRemote, stopRemote, to, withRemote } from "./remote-under-test.ts";

let pair: RemotePair;
afterEach(() => stopRemote(pair));

const start = async (...args: Parameters<typeof startRemote>): Promise<RemotePair> => {
  pair = await startRemote(...args);
  return pair;
};

describe("given a remote agent", () => {
  it.each(["notify", "task_delegate", "consult"])(
    "when it is sent a %s, then the message has text and extension of the protocol",
    async (type) => {
      const { core, remote } = await start(asks(to("any ships?", type)), (work) => work.answer("three"));
      await core.receive(userMessage("m-1", "go"));
      await core.replyTo("m-1");
      if (type === "task_delegate") await untilUnsolicitedAsTimePasses(core);
      while (remote.received.length === 0) await new Promise(setImmediate);
      const [message] = remote.received;
      expect(message?.parts[0]?.content).toEqual({ $case: "text", value: "any ships?" });
      expect(readExtension(message?.metadata)).toMatchObject({
        hops: { [`${remote.url} https://chat.example/a2a/mooring`]: 1 },
        msgType: type,
      });
    },
  );

  it("when it is consulted, then its streamed answer is the tool's result", async () => {
    const { core, remote } = await start(
      asks(to("any ships?", "consult"), (outputs) => `so ${outputs[0]}`),
      (work) => work.answer("three"),
    );
    expect((await core.ask("m-1", "go")).markdown).toContain("three");
    expect(remote.requests[0]).toBe("SendStreamingMessage");
  });

  it("when it does not stream, then it is polled", async () => {
    const { core, remote } = await start(asks(to("any ships?", "consult")), (work) => work.answer("three"), {
      remoteAgent: { capabilities: { streaming: false } },
    });
    await core.receive(userMessage("m-1", "go"));
    await core.clock.passNext(2_000);
    await core.replyTo("m-1");
    expect(toolOutputs(core)[0]).toContain("three");
    expect(remote.requests).not.toContain("SendStreamingMessage");
  });

  it("when work is delegated to it, then the activity entry shows its progress, and its result arrives later", async () => {
    const counted = new Gate();
    const { core } = await start(asks(to("count them", "task_delegate")), async (work) => {
      work.status(TaskState.TASK_STATE_WORKING, "counting");
      await counted.opened;
      work.answer("three ships");
    });
    await core.ask("m-1", "go");
    await core.clock.passNext(500);
    await core.clock.passNext(2_000);
    await core.clock.passNext(0, 1_000);
    const isCounting = (items: unknown) => JSON.stringify(items).includes("counting");
    await core.replies.until((replies) => replies.some((reply) => isCounting(activityOf(reply)?.items ?? [])));
    counted.release();
    const [reply] = await untilUnsolicitedAsTimePasses(core);
    expect(reply?.markdown).toBe("told: three ships");
  });

  it("when it fails, then the person gets its reason", async () => {
    const { core } = await start(asks(to("count them", "task_delegate")), (work) =>
      work.status(TaskState.TASK_STATE_FAILED, "fog"),
    );
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: fog");
  });

  it("when it rejects our token, then the tool's result says so", async () => {
    const { core } = await start(asks(to("any ships?", "consult")), (work) => work.answer("three"), {
      remoteAgent: { token: "right" },
      peer: { token: new Secret("wrong") },
    });
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toBe("ships gave no answer: ships did not accept the request.");
    expect((await theCall(core)).detail).toBe("ships rejected our credentials (HTTP 401): check a2a.peers.ships");
  });

  it("when it never answers, then the call fails at the deadline", async () => {
    const { core } = await start(asks(to("count them", "task_delegate")), () => new Promise(() => {}), {
      peer: { deadlineMs: 1_500 },
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toContain("There is no answer from ships");
  });

  it("when it is unreachable at first, then it is retried", async () => {
    let refusals = 0;
    const { core, remote } = await start(
      asks(to("count them", "task_delegate")),
      (work) => work.answer("three ships"),
      {
        remoteAgent: {
          intercept: (_request, response) => {
            if (refusals++ > 0) return false;
            response.destroy();
            return true;
          },
        },
      },
    );
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: three ships");
    expect(remote.received).toHaveLength(1);
  });

  it("when its card cannot be read, then it is retried with growing pauses, and the log has the reason", async () => {
    const logger = new RecordingLogger();
    const { core } = await start(asks(to("count them", "task_delegate")), (work) => work.answer("three ships"), {
      remoteAgent: {
        intercept: (_request, response) => {
          response.destroy();
          return true;
        },
      },
      logger,
    });
    await core.ask("m-1", "go");
    const pauses: number[] = [];
    while (pauses.length < 4) pauses.push(await core.clock.passNextOf((ms) => ms >= 1_000 && isPause(ms * 2)));
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000]);
    const [line] = logger.lines.items.filter(({ message }) => message === "remote agent failed");
    expect(line?.fields).toMatchObject({ peer: "ships", reason: "fetch failed: other side closed" });
  });

  it("when core restarts in between, then its result still arrives (L7)", async () => {
    const counted = new Gate();
    const { core, remote } = await start(asks(to("count them", "task_delegate")), async (work) => {
      work.status(TaskState.TASK_STATE_WORKING, "counting");
      await counted.opened;
      work.answer("three ships");
    });
    await core.ask("m-1", "go");
    while (remote.received.length === 0) await new Promise(setImmediate);
    const stopped = core.stopCore();
    core.clock.advance(10_000);
    await stopped;
    counted.release();
    const restarted = await core.startCore(withRemote(remote));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: three ships");
    expect(remote.received).toHaveLength(1);
    await restarted.stop();
  });
});

describe("given a remote agent that answers with a file (M3)", () => {
  const withFile = (work: Work) => {
    work.artifact("report", [
      { text: "Three." },
      { raw: Buffer.from("ships").toString("base64"), filename: "ships.csv", mediaType: "text/csv" },
    ]);
    work.status(TaskState.TASK_STATE_COMPLETED);
  };

  it("when a turn waits for the answer, then its own answer has the file", async () => {
    pair = await startRemote(asks(to("any ships?", "consult")), withFile);
    expect((await pair.core.ask("m-1", "ships?")).files).toMatchObject([{ name: "ships.csv", bytes: 5 }]);
  });

  it("when the work was delegated, then the answer of the callback has the file", async () => {
    pair = await startRemote(asks(to("count them", "task_delegate")), withFile);
    await pair.core.ask("m-1", "count the ships");
    const [reply] = await untilUnsolicitedAsTimePasses(pair.core);
    expect(reply?.files).toMatchObject([{ name: "ships.csv", mediaType: "text/csv" }]);
  });
});
