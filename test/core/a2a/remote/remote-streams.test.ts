import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { TaskState, type Work } from "../../../fakes/a2a/sdk-agent.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import { userMessage } from "../../core-under-test.ts";
import { finals } from "../../subtasks/delegating.ts";
import {
  asks,
  asTimePasses,
  isPause,
  theCall,
  toolOutputs,
  untilUnsolicited,
  untilUnsolicitedAsTimePasses,
} from "../peers-under-test.ts";
import { callOf, hint, type RemotePair, startRemote, stopRemote, to } from "./remote-under-test.ts";

let pair: RemotePair;
let isOver = false;
afterEach(async () => {
  isOver = true;
  await stopRemote(pair);
});

const start = async (...args: Parameters<typeof startRemote>): Promise<RemotePair> => {
  isOver = false;
  pair = await startRemote(...args);
  return pair;
};

const CONSULT = asks(to("any ships?", "consult"));
const DELEGATE = asks(to("count them", "task_delegate"));

/** Works until it gets a request with this method. */
const worksUntil =
  (method: string) =>
  async (work: Work): Promise<void> => {
    work.status(TaskState.TASK_STATE_WORKING, "counting");
    while (!isOver && !pair?.remote.requests.includes(method)) await new Promise(setImmediate);
    work.answer("three");
  };

describe("given a remote agent whose stream is interrupted", () => {
  it("when its task continues, then a new subscription gets the answer (A9)", async () => {
    const { core, remote } = await start(CONSULT, worksUntil("SubscribeToTask"), {
      remoteAgent: { isCut: (method) => method === "SendStreamingMessage" },
    });
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain("three");
    expect(remote.requests.slice(0, 2)).toEqual(["SendStreamingMessage", "SubscribeToTask"]);
    expect(remote.received).toHaveLength(1);
  });

  it("when every stream is interrupted, then it is polled", async () => {
    const { core, remote } = await start(CONSULT, worksUntil("GetTask"), {
      remoteAgent: { isCut: (method) => method !== "GetTask" },
    });
    await core.receive(userMessage("m-1", "go"));
    await asTimePasses(core, core.replyTo("m-1"), isPause);
    expect(toolOutputs(core)[0]).toContain("three");
    expect(remote.received).toHaveLength(1);
  });

  it("when it is unreachable for a moment, then it is retried", async () => {
    let refusals = 1;
    const { core, remote } = await start(CONSULT, (work) => work.answer("three"), {
      remoteAgent: {
        intercept: (_request, response, body) => {
          if (body === "" || refusals-- <= 0) return false;
          response.writeHead(503).end();
          return true;
        },
      },
    });
    await core.receive(userMessage("m-1", "go"));
    await asTimePasses(core, core.replyTo("m-1"), isPause);
    expect(toolOutputs(core)[0]).toContain("three");
    expect(remote.received).toHaveLength(1);
  });
});

describe("given a remote agent that streams its answer in chunks (A9)", () => {
  const chunks =
    (until: Promise<unknown> | undefined = undefined) =>
    async (work: Work): Promise<void> => {
      work.status(TaskState.TASK_STATE_WORKING);
      work.chunk("1", { artifactId: "depth" });
      work.chunk("2", { artifactId: "depth", append: true });
      work.chunk("High", { artifactId: "tide" });
      await until;
      work.chunk(".5 m", { artifactId: "depth", append: true, lastChunk: true });
      work.chunk(" tide", { artifactId: "tide", append: true, lastChunk: true });
      work.status(TaskState.TASK_STATE_COMPLETED);
    };
  const WHOLE = "12.5 m\n\nHigh tide";

  it("when it is streamed, then the chunks are one text, and the agent is not polled", async () => {
    const { core, remote } = await start(CONSULT, chunks());
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain(WHOLE);
    expect(remote.requests).toEqual(["SendStreamingMessage"]);
  });

  it("when the stream is interrupted between chunks, then they are still one text", async () => {
    const subscribed = new Gate();
    const { core, remote } = await start(CONSULT, chunks(subscribed.opened), {
      remoteAgent: {
        isCut: (method) => {
          if (method === "SubscribeToTask") subscribed.release();
          return method === "SendStreamingMessage";
        },
      },
    });
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain(WHOLE);
    expect(remote.requests.slice(0, 2)).toEqual(["SendStreamingMessage", "SubscribeToTask"]);
  });

  it("when it is polled instead, then they are one text too", async () => {
    const { core } = await start(DELEGATE, chunks());
    await core.receive(userMessage("m-1", "go"));
    await untilUnsolicitedAsTimePasses(core);
    expect((await theCall(core)).answer).toBe(WHOLE);
  });

  it("when it stores no tasks, then the streamed text is the answer", async () => {
    const { core } = await start(
      CONSULT,
      (work) => {
        work.status(TaskState.TASK_STATE_WORKING);
        work.status(TaskState.TASK_STATE_COMPLETED, "three at the quay");
      },
      {
        remoteAgent: {
          intercept: (_request, response, body) => {
            if (body === "" || JSON.parse(body).method !== "GetTask") return false;
            const error = { code: -32_001, message: "Task not found" };
            response.writeHead(200, { "content-type": "application/json" });
            response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, error }));
            return true;
          },
        },
      },
    );
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain("three at the quay");
  });
});

describe("given a message whose response with the task id was lost", () => {
  it("when the remote agent can list its tasks, then the task is found, and the message is not repeated", async () => {
    let cuts = 1;
    const { core, remote } = await start(DELEGATE, (work) => work.answer("three"), {
      remoteAgent: { isCut: (method) => method === "SendMessage" && cuts-- > 0 },
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: three");
    expect(remote.requests).toEqual(["SendMessage", "ListTasks"]);
    expect(remote.received).toHaveLength(1);
  });

  it("when it cannot list them, then the message is sent again with the same id", async () => {
    let cuts = 1;
    const { core, remote } = await start(DELEGATE, (work) => work.answer("three"), {
      remoteAgent: { speaks: "0.3", isCut: (method) => method === "message/send" && cuts-- > 0 },
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: three");
    expect(remote.received).toHaveLength(2);
    expect(new Set(remote.received.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it("when a hint arrives before the driver has sent it, then the hint does not send it", async () => {
    const sending = new Gate();
    let polls = 0;
    const checkpoint = async (name: string) => {
      if (name === "call.sending" && ++polls === 1) await sending.opened;
    };
    const { core, remote } = await start(DELEGATE, (work) => work.answer("three"), { checkpoint });
    await core.receive(userMessage("m-1", "go"));
    while (polls === 0) await new Promise(setImmediate);
    await hint(pair, (await theCall(core)).id);
    while (!remote.requests.includes("ListTasks")) await new Promise(setImmediate);
    sending.release();
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: three");
    expect(remote.received).toHaveLength(1);
  });
});

describe("given a remote agent that never finishes its response", () => {
  let lines = 0;

  /** Reports progress for ever. */
  const reports =
    (line: string) =>
    async (work: Work): Promise<void> => {
      for (lines = 0; !isOver; lines++) {
        work.status(TaskState.TASK_STATE_WORKING, `${lines} ${line}`);
        await new Promise(setImmediate);
      }
    };

  it.each([
    ["short lines", "counting"],
    ["long lines", "x".repeat(20_000)],
  ])(
    "when it sends %s of progress for ever, then the call fails at the deadline, and at most 100 are stored",
    async (_, line) => {
      const peer = { consultMs: 1_234, deadlineMs: 60_000 };
      const { core } = await start(CONSULT, reports(line), { peer });
      await core.receive(userMessage("m-1", "go"));
      while (lines < 200) await new Promise(setImmediate);
      await core.clock.passNext(1_234);
      await core.replyTo("m-1");
      expect(toolOutputs(core)[0]).toContain("You get its answer in a later turn");
      core.clock.advance(60_000);
      const [reply] = await untilUnsolicitedAsTimePasses(core);
      expect(reply?.markdown).toContain("There is no answer from ships");
      const call = await callOf(pair);
      expect(call).toMatchObject({ state: "failed" });
      expect(call?.notes).toBeLessThanOrEqual(100);
    },
  );

  it("when it sends 50 MB, then the response is aborted, and people get a readable error", async () => {
    const flooded: ServerResponse[] = [];
    const { core } = await start(DELEGATE, () => {}, {
      remoteAgent: {
        intercept: (_request, response, body) => {
          if (body === "") return false;
          flooded.push(response);
          void flood(response, 50);
          return true;
        },
      },
    });
    await core.receive(userMessage("m-1", "go"));
    const [reply] = await untilUnsolicitedAsTimePasses(core);
    expect(reply?.markdown).toContain("The answer of ships is too long.");
    expect((await theCall(core)).detail).toBe("the answer has more than 4000000 bytes");
    expect(flooded).toHaveLength(1);
    expect(flooded[0]?.writableEnded).toBe(false);
  });

  const flood = async (response: ServerResponse, megabytes: number): Promise<void> => {
    const closed = once(response, "close");
    response.writeHead(200, { "content-type": "application/json" }).write('{"jsonrpc":"2.0","id":1,"result":"');
    for (let n = 0; n < megabytes && !response.destroyed; n++) {
      if (!response.write("x".repeat(1_000_000))) await Promise.race([once(response, "drain"), closed]);
    }
    if (!response.destroyed) response.end('"}');
  };
});

describe("given a remote agent that answers several times", () => {
  it("when it completes its task twice, then the first answer is reported once", async () => {
    const { core } = await start(DELEGATE, (work) => {
      work.answer("three");
      work.answer("four");
    });
    await core.receive(userMessage("m-1", "go"));
    const [reply] = await untilUnsolicitedAsTimePasses(core);
    pair.remote.behave = (work) => work.answer("five");
    await Promise.all([hint(pair), hint(pair)]);
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(reply?.markdown).toBe(`told: ${(await callOf(pair))?.answer}`);
    expect(await untilUnsolicited(core)).toHaveLength(1);
  });

  it("when its answer arrives after the deadline, then people only get the message that there is none", async () => {
    const counted = new Gate();
    const { core } = await start(
      DELEGATE,
      async (work) => {
        await counted.opened;
        work.answer("three");
      },
      { peer: { deadlineMs: 1_500 } },
    );
    await core.receive(userMessage("m-1", "go"));
    const [reply] = await untilUnsolicitedAsTimePasses(core);
    expect(reply?.markdown).toContain("There is no answer from ships");
    counted.release();
    await hint(pair);
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(finals(core.replies.items)).toHaveLength(2);
    expect(await theCall(core)).toMatchObject({ state: "failed" });
  });
});
