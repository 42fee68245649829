import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { SdkAgent, TaskState, type Work } from "../../fakes/a2a/sdk-agent.ts";
import { says } from "../../fakes/model-answer.ts";
import { userMessage } from "../core-under-test.ts";
import type { DataOptions } from "./backbone-data.ts";
import { crashesOn } from "./crashes-on.ts";
import { CrashingCore } from "./crashing-core.ts";

const WAIT_MS = 1_000;
/** Longer than a turn waits. */
const LONG_MS = 1_500;

/** Asks a question or works for long if the text says so, and answers every other message. */
const behave = async (work: Work): Promise<void> => {
  if (work.text.startsWith("long")) {
    work.status(TaskState.TASK_STATE_WORKING, "digging");
    await new Promise((resolve) => setTimeout(resolve, LONG_MS));
  }
  if (work.round === 1 && work.text.startsWith("ask")) work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "Which one?");
  else work.answer(`done: ${work.text}`);
};

const STEPS = [
  "model.before",
  "agent.sending",
  "agent.answered",
  "agent.accepted",
  "agent.ended",
  "model.after",
  "model.journaled",
  "reply.before",
  "reply.published",
];

/** The steps that write or read the question of a session. */
const QUESTION_STEPS = ["agent.sending", "agent.answered", "agent.accepted", "agent.ended"];

/** The steps of a task that goes on after its turn. */
const LONG_STEPS = ["agent.backgrounded", "agent.followed", "agent.known", "agent.stored", "agent.reported"];

/** A `kill -9` at every step of a turn that an agent elsewhere answers: it gets each message once. */
export const agentCrashes = (kind: DataOptions["kind"]): void => {
  describe(`given a core on ${kind} whose agent is elsewhere, and that crashes in the middle of a turn (T6)`, () => {
    let core: CrashingCore;
    let agent: SdkAgent;
    beforeAll(async () => {
      agent = await SdkAgent.start(behave);
      core = await CrashingCore.deploy(kind, () => says("not asked"), { agentUrl: agent.url });
    });
    afterAll(async () => {
      await core.dispose();
      await agent.stop();
    });

    const askAndCrash = (at: string, id: string, conversation?: Conversation) => crashIn(core, at, id, conversation);
    const receivedWith = (text: string) => messagesWith(agent, text);

    it.each(crashesOn(kind, STEPS, 3))(
      "when it crashes at %s, then the next process resumes the task and sends nothing again",
      async (at) => {
        const reply = await askAndCrash(at, `tell ${at}`);
        expect(reply).toMatchObject({ kind: "final", outcome: "answered", markdown: `done: tell ${at}` });
        expect(receivedWith(`tell ${at}`)).toHaveLength(1);
      },
    );

    it.each(crashesOn(kind, QUESTION_STEPS, 2))(
      "when it crashes at %s of a question and of its answer, then one task gets both",
      async (at) => {
        const conversation = { channel: "web", room: `room ${at}`, kind: "private" as const };
        expect((await askAndCrash(at, `ask ${at}`, conversation)).markdown).toBe("Which one?");
        expect((await askAndCrash(at, `answer ${at}`, conversation)).markdown).toBe(`done: answer ${at}`);
        const [question, ...more] = receivedWith(`ask ${at}`);
        const [answer, ...others] = receivedWith(`answer ${at}`);
        expect([more, others]).toEqual([[], []]);
        expect(answer?.taskId).toBe(question?.taskId);
      },
    );
  });

  describe(`given a core on ${kind} whose agent elsewhere works longer than a turn waits (T6)`, () => {
    let core: CrashingCore;
    let agent: SdkAgent;
    beforeAll(async () => {
      agent = await SdkAgent.start(behave);
      core = await CrashingCore.deploy(kind, () => says("not asked"), { agentUrl: agent.url, agentWaitMs: WAIT_MS });
    });
    afterAll(async () => {
      await core.dispose();
      await agent.stop();
    });

    it.each(crashesOn(kind, LONG_STEPS, 1))(
      "when it crashes at %s, then the person can go on, and the answer is delivered once, later",
      async (at) => {
        const conversation = { channel: "web", room: `long ${at}`, kind: "private" as const };
        const first = await crashIn(core, at, `long ${at}`, conversation);
        expect(first.markdown).toContain("still working on this");
        const isLate = ({ markdown }: AgentReply) => markdown === `done: long ${at}`;
        const [late] = (await core.received.until((replies) => replies.some(isLate))).filter(isLate);
        expect(late).toMatchObject({ outcome: "answered", cause: { trigger: "agent-answer" } });
        // A crash may repeat a reply, with its own id.
        expect(new Set(core.received.items.filter(isLate).map(({ id }) => id)).size).toBe(1);
        expect(messagesWith(agent, `long ${at}`)).toHaveLength(1);
      },
    );
  });
};

/** Asks, and resolves to the reply after a crash at a step. */
const crashIn = async (
  core: CrashingCore,
  at: string,
  id: string,
  conversation = userMessage("", "").conversation,
): Promise<AgentReply> => {
  const crashing = await core.running();
  await crashing.crashAt(at);
  await core.receive(userMessage(id, id, { conversation }));
  await crashing.exited;
  await core.running();
  return core.receivedReplyTo(id);
};

const messagesWith = (agent: SdkAgent, text: string) =>
  agent.received.filter(({ parts }) => parts[0]?.content?.$case === "text" && parts[0].content.value === text);
