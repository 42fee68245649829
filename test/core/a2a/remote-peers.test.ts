import { afterEach, describe, expect, it } from "vitest";
import { readExtension } from "../../../core/a2a/extension.ts";
import { activityOf } from "../../../core/contract/activity.ts";
import { Secret } from "../../../core/contract/secret.ts";
import { type Behaviour, SdkAgent, type SdkAgentOptions, TaskState } from "../../fakes/a2a/sdk-agent.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";
import { finals, roles, startDelegating } from "../subtasks/delegating.ts";
import {
  ASYNC,
  answerIn,
  asks,
  sends,
  toolOutputs,
  untilUnsolicited,
  untilUnsolicitedAsTimePasses,
} from "./peers-under-test.ts";

const REMOTE = "ships";

let remote: SdkAgent;
let core: CoreUnderTest;
afterEach(async () => {
  await core.dispose();
  await remote.stop();
});

interface Setting {
  readonly agent?: SdkAgentOptions;
  readonly token?: string;
  readonly deadlineMs?: number;
  readonly tenants?: typeof ASYNC | Record<string, never>;
}

/** A core with one remote peer. */
const start = async (script: Parameters<typeof startDelegating>[0], behave: Behaviour, setting: Setting = {}) => {
  remote = await SdkAgent.start(behave, setting.agent);
  const peer = {
    name: REMOTE,
    tenant: "default",
    url: remote.url,
    token: setting.token === undefined ? undefined : new Secret(setting.token),
    deadlineMs: setting.deadlineMs,
  };
  core = await startDelegating(script, {
    tenants: setting.tenants ?? ASYNC,
    agent: { peers: [REMOTE] },
    remote: { peers: [peer], publicUrl: "https://chat.example" },
  });
};

const to = (message: string, msg_type: string) => ({ agent: REMOTE, message, msg_type });

describe("given a remote agent", () => {
  it.each(["notify", "task_delegate", "consult"])(
    "when it is sent a %s, then that goes through the protocol",
    async (type) => {
      await start(asks(to("any ships?", type)), (work) => work.answer("three"));
      await core.receive(userMessage("m-1", "go"));
      await core.replyTo("m-1");
      if (type === "task_delegate") await untilUnsolicitedAsTimePasses(core);
      while (remote.heard.length === 0) await new Promise(setImmediate);
      const [message] = remote.heard;
      expect(message?.parts[0]?.content).toEqual({ $case: "text", value: "any ships?" });
      expect(readExtension(message?.metadata)).toMatchObject({
        hops: { [`${remote.url} https://chat.example/a2a/mooring`]: 1 },
        origin: { promptSummary: "go" },
        msgType: type,
      });
    },
  );

  it("when it is consulted, then its answer is the tool's result, by a stream", async () => {
    await start(
      asks(to("any ships?", "consult"), (outputs) => `so ${outputs[0]}`),
      (work) => work.answer("three"),
    );
    expect((await core.ask("m-1", "go")).markdown).toContain("three");
    expect(remote.requests[0]).toBe("SendStreamingMessage");
  });

  it("when it does not stream, then it is asked after", async () => {
    await start(asks(to("any ships?", "consult")), (work) => work.answer("three"), {
      agent: { capabilities: { streaming: false } },
    });
    await core.receive(userMessage("m-1", "go"));
    await core.clock.passNext(2_000);
    await core.replyTo("m-1");
    expect(toolOutputs(core)[0]).toContain("three");
    expect(remote.requests).not.toContain("SendStreamingMessage");
  });

  it("when work is delegated to it, then its progress is in the activity entry and its result comes later", async () => {
    let finish = () => {};
    await start(asks(to("count them", "task_delegate")), async (work) => {
      work.status(TaskState.TASK_STATE_WORKING, "counting");
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      work.answer("three ships");
    });
    await core.ask("m-1", "go");
    await core.clock.passNext(500);
    await core.clock.passNext(2_000);
    await core.clock.passNext(0, 1_000);
    const isCounting = (items: unknown) => JSON.stringify(items).includes("counting");
    await core.replies.until((replies) => replies.some((reply) => isCounting(activityOf(reply)?.items ?? [])));
    finish();
    const [reply] = await untilUnsolicitedAsTimePasses(core);
    expect(reply?.markdown).toBe("told: three ships");
  });

  it("when it fails, then the person hears of that", async () => {
    await start(asks(to("count them", "task_delegate")), (work) => work.status(TaskState.TASK_STATE_FAILED, "fog"));
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: fog");
  });

  it("when it does not accept our token, then the tool says so", async () => {
    await start(asks(to("any ships?", "consult")), (work) => work.answer("three"), {
      agent: { token: "right" },
      token: "wrong",
    });
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain("ships does not accept us (HTTP 401)");
  });

  it("when it is silent, then the deadline makes that an outcome", async () => {
    await start(asks(to("count them", "task_delegate")), () => new Promise(() => {}), { deadlineMs: 1_500 });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toContain("There is no answer from ships");
  });

  it("when it is not there, then it is tried again until it is", async () => {
    let refusals = 0;
    await start(asks(to("count them", "task_delegate")), (work) => work.answer("three ships"), {
      agent: {
        intercept: (_request, response) => {
          if (refusals++ > 0) return false;
          response.destroy();
          return true;
        },
      },
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("told: three ships");
    expect(remote.heard).toHaveLength(1);
  });

  it("when it sends more than anybody reads, then that is an error and nothing breaks", async () => {
    await start(asks(to("any ships?", "consult")), (work) => work.answer("x".repeat(6_000_000)));
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain("more than 4000000 bytes");
  });
});

describe("given a remote agent that wants to know something first", () => {
  const asking: Behaviour = (work) =>
    work.round === 1
      ? work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "which harbour?")
      : work.answer(`in ${work.text}: three`);

  it("when a consultation is asked back, then the answer goes on with the same task (A9)", async () => {
    const taskIn = (outputs: readonly string[]) => /task "(call-[0-9a-f]{12})"/.exec(outputs[0] ?? "")?.[1];
    await start(
      roles({
        primary: ({ outputs }) =>
          [
            calls({ name: "send_message_to_agent", input: to("any ships?", "consult") }),
            calls({ name: "send_message_to_agent", input: { ...to("Bergen", "consult"), task: taskIn(outputs) } }),
          ][outputs.length] ?? `so ${outputs[1]}`,
      }),
      asking,
    );
    expect((await core.ask("m-1", "go")).markdown).toContain("in Bergen: three");
    expect(remote.heard).toHaveLength(2);
    expect(remote.heard[1]?.taskId).not.toBe("");
  });

  it("when a delegation is asked back, then the person is asked, and the answer goes on with it", async () => {
    await start(
      roles({
        primary: ({ text, outputs, request }) => {
          if (text !== "Bergen") return sends(to("any ships?", "task_delegate"))({ text, outputs, request });
          const task = /task "(call-[0-9a-f]{12})"/.exec(JSON.stringify(request.messages).replaceAll('\\"', '"'))?.[1];
          return sends({ ...to("Bergen", "task_delegate"), task }, "passed on")({ text, outputs, request });
        },
        continuation: ({ text }) =>
          text.startsWith("[question") ? "Which harbour do you mean?" : `told: ${answerIn(text)}`,
      }),
      asking,
    );
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("Which harbour do you mean?");
    await core.ask("m-2", "Bergen");
    await untilUnsolicitedAsTimePasses(core, 2);
    expect((await untilUnsolicited(core, 2)).at(-1)?.markdown).toBe("told: in Bergen: three");
  });

  it("when it asks the same for the third time, then that ends it (A9)", async () => {
    await start(
      roles({
        primary: ({ outputs }) => {
          const last = outputs.at(-1) ?? "";
          const task = /task "(call-[0-9a-f]{12})"/.exec(last)?.[1];
          if (outputs.length > 0 && task === undefined) return `end: ${last}`;
          return calls({ name: "send_message_to_agent", input: { ...to("Bergen", "consult"), ...(task && { task }) } });
        },
      }),
      (work) => work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "which harbour?"),
    );
    const reply = await core.ask("m-1", "go");
    expect(reply.markdown).toContain("asked the same again and again");
    expect(remote.heard).toHaveLength(3);
    expect(finals(core.replies.items)).toHaveLength(1);
  });
});
