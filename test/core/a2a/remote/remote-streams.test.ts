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

/** Works until it is asked for this method. */
const worksUntil =
  (method: string) =>
  async (work: Work): Promise<void> => {
    work.status(TaskState.TASK_STATE_WORKING, "counting");
    while (!isOver && !pair?.remote.requests.includes(method)) await new Promise(setImmediate);
    work.answer("three");
  };

describe("given a remote agent whose stream breaks off", () => {
  it("when its task goes on, then it is listened to again, and the answer is heard (A9)", async () => {
    const { core, remote } = await start(CONSULT, worksUntil("SubscribeToTask"), {
      remoteAgent: { isCut: (method) => method === "SendStreamingMessage" },
    });
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain("three");
    expect(remote.requests.slice(0, 2)).toEqual(["SendStreamingMessage", "SubscribeToTask"]);
    expect(remote.heard).toHaveLength(1);
  });

  it("when every stream breaks off, then it is asked after", async () => {
    const { core, remote } = await start(CONSULT, worksUntil("GetTask"), {
      remoteAgent: { isCut: (method) => method !== "GetTask" },
    });
    await core.receive(userMessage("m-1", "go"));
    await asTimePasses(core, core.replyTo("m-1"), isPause);
    expect(toolOutputs(core)[0]).toContain("three");
    expect(remote.heard).toHaveLength(1);
  });

  it("when it cannot be reached for a moment, then it is tried again", async () => {
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
    expect(remote.heard).toHaveLength(1);
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

  it("when it is listened to, then the chunks are one text, and the agent is not asked again", async () => {
    const { core, remote } = await start(CONSULT, chunks());
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain(WHOLE);
    expect(remote.requests).toEqual(["SendStreamingMessage"]);
  });

  it("when the stream is cut in between, then the chunks are one text all the same", async () => {
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

  it("when it is asked after instead, then they are too", async () => {
    const { core } = await start(DELEGATE, chunks());
    await core.receive(userMessage("m-1", "go"));
    await untilUnsolicitedAsTimePasses(core);
    expect((await theCall(core)).answer).toBe(WHOLE);
  });

  it("when it stores no tasks, then the words of its stream are not lost", async () => {
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

describe("given a message whose task's id was lost", () => {
  it("when the remote agent lists its tasks, then the task is found, and nothing is said twice", async () => {
    let cuts = 1;
    const { core, remote } = await start(DELEGATE, (work) => work.answer("three"), {
      remoteAgent: { isCut: (method) => method === "SendMessage" && cuts-- > 0 },
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: three");
    expect(remote.requests).toEqual(["SendMessage", "ListTasks"]);
    expect(remote.heard).toHaveLength(1);
  });

  it("when it cannot be asked for them, then the message is sent again under the same id", async () => {
    let cuts = 1;
    const { core, remote } = await start(DELEGATE, (work) => work.answer("three"), {
      remoteAgent: { speaks: "0.3", isCut: (method) => method === "message/send" && cuts-- > 0 },
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: three");
    expect(remote.heard).toHaveLength(2);
    expect(new Set(remote.heard.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it("when a hint comes before its sender knows it, then the hint sends nothing", async () => {
    const sending = new Gate();
    let looks = 0;
    const checkpoint = async (name: string) => {
      if (name === "call.sending" && ++looks === 1) await sending.opened;
    };
    const { core, remote } = await start(DELEGATE, (work) => work.answer("three"), { checkpoint });
    await core.receive(userMessage("m-1", "go"));
    while (looks === 0) await new Promise(setImmediate);
    await hint(pair, (await theCall(core)).id);
    while (!remote.requests.includes("ListTasks")) await new Promise(setImmediate);
    sending.release();
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: three");
    expect(remote.heard).toHaveLength(1);
  });
});

describe("given a remote agent that does not come to an end", () => {
  let said = 0;

  /** Says how it goes for ever. */
  const talks =
    (line: string) =>
    async (work: Work): Promise<void> => {
      for (said = 0; !isOver; said++) {
        work.status(TaskState.TASK_STATE_WORKING, `${said} ${line}`);
        await new Promise(setImmediate);
      }
    };

  it.each([
    ["a little", "counting"],
    ["more than anybody reads", "x".repeat(20_000)],
  ])("when it says %s for ever, then its time is up at the deadline, and little of it is kept", async (_, line) => {
    const peer = { consultMs: 1_234, deadlineMs: 60_000 };
    const { core } = await start(CONSULT, talks(line), { peer });
    await core.receive(userMessage("m-1", "go"));
    while (said < 200) await new Promise(setImmediate);
    await core.clock.passNext(1_234);
    await core.replyTo("m-1");
    expect(toolOutputs(core)[0]).toContain("Its answer comes to you in a later turn");
    core.clock.advance(60_000);
    const [reply] = await untilUnsolicitedAsTimePasses(core);
    expect(reply?.markdown).toContain("There is no answer from ships");
    const call = await callOf(pair);
    expect(call).toMatchObject({ state: "failed" });
    expect(call?.notes).toBeLessThanOrEqual(100);
  });

  it("when it sends 50 MB, then reading ends early, and that is an error in words", async () => {
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

describe("given a remote agent that answers more often than it was asked", () => {
  it("when it says twice that it is done, then the first answer counts, once", async () => {
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

  it("when its answer comes after the deadline, then people have heard that there is none, and hear no more", async () => {
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
