import { afterEach, describe, expect, it } from "vitest";
import { inboundMessage } from "../../../core/a2a/inbound/inbound-call.ts";
import { type AgentReply, activityOf } from "../../../core/contract/messages/agent-reply.ts";
import type { InboundCall } from "../../../core/contract/messages/inbound-call.ts";
import { type Behaviour, TaskState } from "../../fakes/a2a/sdk-agent.ts";
import { Gate } from "../../fakes/model-answer.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { answerIn, asTimePasses, sends } from "../a2a/peers-under-test.ts";
import { type RemotePair, startRemote, stopRemote, taskIn, to } from "../a2a/remote/remote-under-test.ts";
import { AGENT, CoreUnderTest } from "../core-under-test.ts";
import { type Asked, counted, delegates, type Roles, roles } from "../subtasks/delegating.ts";
import { beginWithSecond, expectSecondOrigin, isFinal, unsolicitedReply } from "./second-message.ts";

let pair: RemotePair | undefined;
let core: CoreUnderTest;
afterEach(async () => {
  await (pair === undefined ? core.dispose() : stopRemote(pair));
  pair = undefined;
});

const ASK = to("count them", "task_delegate");
const CEILING_MS = 300_000;

const begin = async (behave: Behaviour, parts: Partial<Roles> = {}): Promise<void> => {
  const primary = (asked: Asked) => (asked.text === "go" ? sends(ASK)(asked) : "hello yourself");
  const continuation = ({ text }: Asked) => `told: ${answerIn(text)}`;
  pair = await startRemote(roles({ primary, continuation, ...parts }), behave);
  core = pair.core;
  await beginWithSecond(core);
};

const unsolicited = (isIt: (reply: AgentReply) => boolean): Promise<AgentReply> =>
  asTimePasses(core, unsolicitedReply(core, isIt));

const itemsOf = (reply: AgentReply) => JSON.stringify(activityOf(reply)?.items ?? []);

describe("given each reply about another agent (O6)", () => {
  it("when the peer reports progress, then the activity entry has the origin of the asking message", async () => {
    await begin((work) => {
      work.status(TaskState.TASK_STATE_WORKING, "counting");
      return new Promise(() => {});
    });
    expectSecondOrigin(core, await unsolicited((reply) => itemsOf(reply).includes("counting")));
  });

  it("when the peer is done, then the completed entry and the result have that origin", async () => {
    await begin((work) => work.answer("three"));
    const result = await unsolicited(isFinal);
    expect(result).toMatchObject({ markdown: "told: three", cause: { trigger: "callback" } });
    expectSecondOrigin(core, result);
    expectSecondOrigin(core, await unsolicited(({ kind }) => kind === "completion"));
  });

  it("when the peer fails, then the failure has that origin", async () => {
    await begin((work) => work.status(TaskState.TASK_STATE_FAILED, "fog"));
    const error = await unsolicited(isFinal);
    expect(error.markdown).toBe("told: fog");
    expectSecondOrigin(core, error);
  });

  it("when the peer asks something, then the question has that origin", async () => {
    await begin((work) => work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "which harbour?"));
    const question = await unsolicited(isFinal);
    expect(question.markdown).toContain("which harbour?");
    expectSecondOrigin(core, question);
  });

  it("when the peer asks too often, then the failure has that origin", async () => {
    await begin((work) => work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "which harbour?"), {
      continuation: (asked) => {
        if (!asked.text.startsWith("[question")) return `told: ${answerIn(asked.text)}`;
        return sends({ ...to("Bergen", "task_delegate"), task: taskIn(asked.text) }, "I have told it.")(asked);
      },
    });
    const error = await unsolicited(({ markdown }) => markdown.includes("asked the same question 3 times"));
    expectSecondOrigin(core, error);
  });

  it("when the peer answers after the asking subtask has ended, then the late answer has that origin", async () => {
    const late = new Gate();
    await begin(
      async (work) => {
        await late.opened;
        work.answer("three");
      },
      {
        primary: (asked) => (asked.text === "go" ? delegates(["boats"], "on it")(asked) : "hello yourself"),
        subagent: sends(ASK, "waiting"),
      },
    );
    while (pair?.remote.received.length === 0) await new Promise(setImmediate);
    await core.clock.passNext(CEILING_MS);
    await unsolicitedReply(core, isFinal);
    late.release();
    const reply = await unsolicited(({ cause }) => cause?.trigger === "late");
    expect(reply).toMatchObject({ markdown: "told: three\n\n_From ships._", cause: { steps: [{ kind: "peer" }] } });
    expectSecondOrigin(core, reply);
  });
});

describe("given notices of calling agents for people (O6)", () => {
  const home = { channel: "web", room: "lobby", kind: "shared" as const };
  const call = (n: number): InboundCall => ({
    tenant: "default",
    agent: AGENT,
    caller: "crm",
    id: `task-${n}`,
    contextId: "context-1",
    skill: { id: "news", name: "News" },
    said: { id: `message-${n}`, from: "caller", text: `news ${n}` },
    sentAt: `2026-03-10T21:0${n}:00.000Z`,
  });

  it("when they are posted, then the batch has the origin of the callers and the time of the first call (O5)", async () => {
    core = await CoreUnderTest.start(
      roles({
        primary: ({ text, outputs }) => {
          if (!text.startsWith("news") || outputs.length > 0) return "well";
          return calls({ name: "notify_people", input: { text: `There is ${text}.` } });
        },
      }),
      { heldByClock: true, agent: { inbound: { notices: { home: { conversation: home }, idleMs: 60_000 } } } },
    );
    await core.ask("m-1", "hello", { conversation: home });
    for (const n of [1, 2]) await core.receive(inboundMessage(call(n)));
    await counted(core, "turns_total mooring answered", 3);
    const batch = await asTimePasses(core, unsolicitedReply(core, isFinal), (ms) => ms > 0 && ms <= 60_000);
    for (const n of [1, 2]) expect(batch.markdown).toContain(`There is news ${n}.`);
    expect(batch.origin).toEqual({
      channel: "a2a-inbound",
      promptSummary: "crm · News",
      startedAt: call(1).sentAt,
      sessionId: null,
    });
    expect(batch).toMatchObject({ audience: { conversation: home }, cause: { trigger: "inbound" } });
  });
});
