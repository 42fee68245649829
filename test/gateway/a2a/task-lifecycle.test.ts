import { TaskState } from "@a2a-js/sdk";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { countingBackbone } from "../../fakes/counting-backbone.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { says as answers, calls } from "../../fakes/scripted-model.ts";
import { A2aUnderTest, answerOf, asTask, says } from "./a2a-under-test.ts";

let server: A2aUnderTest;
afterEach(() => server.dispose());

const quiet = { acceptedOutputModes: [], taskPushNotificationConfig: undefined };
const anyTask = {
  tenant: "",
  contextId: "",
  status: TaskState.TASK_STATE_UNSPECIFIED,
  statusTimestampAfter: undefined,
  pageToken: "",
};

describe("given a gateway that crashes while it accepts a message", () => {
  it.each(["a2a.before", "a2a.published", "a2a.stored"])(
    "when it crashes at %s and the caller retries, then there is one task and one turn",
    async (at) => {
      let crashes = 1;
      const checkpoint = (name: string) => {
        if (name === at && crashes-- > 0) throw new Error("crashed");
      };
      server = await A2aUnderTest.start(() => "Nine metres.", { checkpoint });
      const client = await server.client();
      const message = says("How deep?");
      const immediate = { ...message, configuration: { ...quiet, returnImmediately: true } };
      await expect(client.sendMessage(immediate)).rejects.toThrow("went wrong");
      expect(answerOf(asTask(await client.sendMessage(message)))).toBe("Nine metres.");
      expect((await client.listTasks(anyTask)).totalSize).toBe(1);
      expect(server.model.requests.items).toHaveLength(1);
    },
  );

  it("when the message was stored and the caller does not retry, then core creates the task and ends it", async () => {
    const checkpoint = (name: string) => {
      if (name === "a2a.published") throw new Error("crashed");
    };
    server = await A2aUnderTest.start(() => "Nine metres.", { checkpoint });
    const client = await server.client();
    await expect(client.sendMessage(says("How deep?"))).rejects.toThrow();
    const completed = { ...anyTask, status: TaskState.TASK_STATE_COMPLETED };
    while ((await client.listTasks(completed)).totalSize === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});

describe("given a caller that waits for a busy core", () => {
  it("when that takes a while, then its task is already listed", async () => {
    const clock = new ManualClock();
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    server = await A2aUnderTest.start([() => gate.then(() => answers("First.")), "Second."], { clock });
    const client = await server.client();
    const { contextId } = asTask(await client.sendMessage(says("One", {}, { returnImmediately: true })));
    const waiting = client.sendMessage(says("Two", { contextId }));
    // Queued behind the other call of its session.
    while ((await client.listTasks(anyTask)).totalSize < 2) {
      clock.advance(1_000);
      await new Promise(setImmediate);
    }
    release();
    expect(answerOf(asTask(await waiting))).toBe("Second.");
  });
});

describe("given a message of the maximum size", () => {
  it("then it is answered", async () => {
    server = await A2aUnderTest.start(() => "Nine metres.");
    const client = await server.client();
    const task = asTask(await client.sendMessage(says("x".repeat(159_000))));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });
});

describe("given two concurrent requests with the same message", () => {
  it("then there is one task, and both get its answer", async () => {
    server = await A2aUnderTest.start(() => "Nine metres.");
    const client = await server.client();
    const message = says("How deep?");
    const [one, other] = await Promise.all([client.sendMessage(message), client.sendMessage(message)]);
    expect(asTask(one).id).toBe(asTask(other).id);
    expect(server.model.requests.items).toHaveLength(1);
  });
});

describe("given a plain call", () => {
  it("then it costs five durable writes, and the end of its turn is stored before that of its task", async () => {
    let writes: readonly string[] = [];
    server = await A2aUnderTest.start(() => "Nine metres.", {
      // No timeout fires, however slow the machine is.
      clock: new ManualClock(),
      wrap: (backbone) => {
        const counting = countingBackbone(backbone, true);
        writes = counting.writes;
        return counting;
      },
    });
    const client = await server.client();
    const atStart = writes.length;
    await client.sendMessage(says("How deep?"));
    const ours = ["publish user.message", "put turns", "put history", "put a2a-task-index", "put a2a-tasks"];
    expect(writes.slice(atStart)).toEqual(ours);
  });
});

describe("given a task whose turn delegates", () => {
  it("when the subtasks are done, then their synthesis is the answer, and no reply is posted to people", async () => {
    server = await A2aUnderTest.start(({ messages }) => {
      const last = messages.at(-1);
      const text = last?.role === "user" ? last.text : "";
      if (text.includes("[results of delegated work]")) return "Both harbours are deep.";
      if (text.startsWith("Compare")) {
        return calls({
          name: "spawn_subtask",
          input: { name: "Bergen", prompt: "look at Bergen", expectedOutput: "depth" },
        });
      }
      return last?.role === "tool" ? "I am on it." : "Eleven metres.";
    });
    const seen = new Recorder<AgentReply>();
    const subject = subjectsOf("default").userResponse("mooring");
    await server.core.bus.consume(subject, { durable: "test", concurrency: 1 }, async (reply) => {
      seen.add(reply);
      return ack;
    });
    const task = asTask(await (await server.client()).sendMessage(says("Compare Bergen and Oslo")));
    expect([task.status?.state, answerOf(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, "Both harbours are deep."]);
    expect(seen.items).toEqual([]);
  });
});

describe("given a skill with notices for people (A10)", () => {
  it("when several calls have been answered, then people get one message, anchored to the first call (O5)", async () => {
    server = await A2aUnderTest.start(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "user" ? `Heard: ${last.text}` : "?";
    });
    const seen = new Recorder<AgentReply>();
    const subject = subjectsOf("default").userResponse("mooring");
    await server.core.bus.consume(subject, { durable: "test", concurrency: 1 }, async (reply) => {
      seen.add(reply);
      return ack;
    });
    const client = await server.client();
    await client.sendMessage(says("A ship has come in", { metadata: { skill: "news" } }));
    const [notice] = await seen.until((replies) => replies.length > 0);
    expect(notice).toMatchObject({
      kind: "final",
      markdown: "Heard: A ship has come in",
      origin: { channel: "a2a-inbound", promptSummary: "alice · News", sessionId: null },
      audience: { conversation: { channel: "web", room: "lobby" } },
    });
    expect(notice?.correlationId).toBeUndefined();
  });
});
