import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { SdkAgent, TaskState } from "../fakes/a2a/sdk-agent.ts";
import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { type Backbone, Product, type StartedProcess } from "./product.ts";
import { ModelBoard } from "./settings/model-board.ts";

beforeAll(requireFreshBuild);

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const TOKEN = "tR7wq0Zk-41xVb8Lm2cYdN6sHf3uJe9P";

/** "consult" and "delegate" ask the agent depth; "research" starts a subtask that consults it. */
const primary = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  const ask = (msg_type: string) =>
    calls([{ name: "send_message_to_agent", arguments: { agent: "depth", message: "count the boats", msg_type } }]);
  if (toolOutputs.length > 0) return says(`Then: ${toolOutputs.join(" ")}`);
  if (toolNames.includes("complete_subtask") || lastUserText === "consult") return ask("consult");
  if (lastUserText === "delegate") return ask("task_delegate");
  if (lastUserText === "think") return says([new Gate(), "too late"]);
  if (lastUserText !== "research") return says(`You said: ${lastUserText}`);
  return calls([{ name: "spawn_subtask", arguments: { name: "boats", prompt: "count" } }]);
};

/** A remote agent that works until its task is cancelled. */
const startDepth = async (): Promise<SdkAgent> => {
  const depth = await SdkAgent.start(async (work) => {
    work.status(TaskState.TASK_STATE_WORKING, "counting");
    await new Promise(() => undefined);
  });
  cleanUp.push(() => depth.stop());
  return depth;
};

const start = async (backbone: Backbone, depth: SdkAgent) => {
  const models = await ModelBoard.start();
  cleanUp.push(() => models.stop());
  const product = await Product.create({
    backbone,
    config: {
      tenants: { default: { a2aAsync: true } },
      agents: [
        {
          name: "mooring",
          model: models.named("primary", primary),
          peers: ["depth"],
          rights: { anonymous: ["default", "peers"] },
        },
      ],
      a2a: { peers: { depth: { url: depth.url } }, callers: { crm: { token: TOKEN } } },
    },
  });
  cleanUp.push(() => product.dispose());
  const core = backbone === "nats" ? await product.start("core") : undefined;
  await core?.ready();
  const mooring = await product.start(core ? "gateway" : "start");
  await mooring.ready();
  return { models, product, mooring, core: core ?? mooring };
};

interface WireTask {
  readonly id: string;
  readonly status: { readonly state: string };
}

/** Another agent that calls ours by the protocol. */
const callerOf = (mooring: StartedProcess) => {
  const request = async (method: string, params: object): Promise<WireTask> => {
    const response = await fetch(`${mooring.address}/a2a/mooring`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: WireTask & { task?: WireTask }; error?: object };
    if (result === undefined) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
    return result.task ?? result;
  };
  return {
    send: (text: string) =>
      request("SendMessage", {
        message: { messageId: `said ${text}`, role: "ROLE_USER", parts: [{ text }] },
        configuration: { returnImmediately: true },
      }),
    cancel: (id: string) => request("CancelTask", { id }),
    read: (id: string) => request("GetTask", { id }),
  };
};

const atWork = (depth: SdkAgent) => expect.poll(() => depth.received.length).toBe(1);

describe.each<Backbone>(["embedded", "nats"])("given an agent that asked a remote one, on %s", (backbone) => {
  it.each(["consult", "delegate", "research"])(
    "when its own caller cancels the task (%s), then the remote agent gets CancelTask (A8, I3)",
    async (text) => {
      const depth = await startDepth();
      const { mooring, models } = await start(backbone, depth);
      const caller = callerOf(mooring);
      const { id } = await caller.send(text);
      await atWork(depth);
      expect((await caller.cancel(id)).status.state).toBe("TASK_STATE_CANCELED");
      await depth.cancelled.count(1);
      // No turn continues the cancelled work.
      const before = models.requests("primary").length;
      expect((await caller.read(id)).status.state).toBe("TASK_STATE_CANCELED");
      expect(models.requests("primary")).toHaveLength(before);
    },
  );

  it("when the person cancels the subtask that asked, then the remote agent gets CancelTask (I3)", async () => {
    const depth = await startDepth();
    const { mooring, product } = await start(backbone, depth);
    const ann = product.client("ann", mooring.address);
    await ann.answerTo(ann.say("research"));
    await atWork(depth);
    const offered = (await ann.answerTo(ann.command("cancel"))).markdown ?? "";
    const id = /subtask-[0-9a-f]{8}/.exec(offered)?.[0] ?? "none";
    expect((await ann.answerTo(ann.command("cancel", id))).markdown).toBe('"boats" is cancelled.');
    await depth.cancelled.count(1);
  });

  it("when the person stops the answer that waits for it, then the remote agent gets CancelTask (I3)", async () => {
    const depth = await startDepth();
    const { mooring, product } = await start(backbone, depth);
    const ann = product.client("ann", mooring.address);
    const asked = ann.say("consult");
    await atWork(depth);
    expect((await ann.answerTo(ann.command("cancel", "answer"))).markdown).toBe("Okay, I stopped.");
    await ann.answerTo(asked);
    await depth.cancelled.count(1);
  });

  it("when the person cancels before the remote agent has named its task, then it gets CancelTask afterwards (I3)", async () => {
    const gate = new Gate();
    const depth = await startDepth();
    depth.options = { holds: () => gate.opened };
    const { mooring, product } = await start(backbone, depth);
    const ann = product.client("ann", mooring.address);
    await ann.answerTo(ann.say("delegate"));
    await expect.poll(() => depth.requests).toHaveLength(1);
    expect((await ann.answerTo(ann.command("cancel", "all"))).markdown).toContain("I ended 1 call to another agent.");
    gate.release();
    await depth.cancelled.count(1);
  });

  it("when the remote agent is away at the cancellation, then CancelTask is retried, also after a kill of our processes, until it is back (A8, I3)", async () => {
    const depth = await startDepth();
    const { mooring, product, core } = await start(backbone, depth);
    const caller = callerOf(mooring);
    const { id } = await caller.send("delegate");
    await atWork(depth);
    let refused = 0;
    depth.options = {
      intercept: (_request, response, body) => {
        if (body.includes('"CancelTask"')) refused++;
        response.destroy();
        return true;
      },
    };
    await caller.cancel(id);
    await expect.poll(() => refused).toBeGreaterThan(1);
    await Promise.all([mooring.end("SIGKILL"), core.end("SIGKILL")]);
    expect(depth.cancelled.items).toEqual([]);
    depth.options = {};
    await (await product.start("start")).ready();
    await depth.cancelled.count(1);
  });
});
