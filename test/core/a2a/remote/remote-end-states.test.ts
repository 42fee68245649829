import { afterEach, describe, expect, it } from "vitest";
import { type AgentReply, activityOf } from "../../../../core/contract/messages/agent-reply.ts";
import { type Behaviour, TaskState, type Work } from "../../../fakes/a2a/sdk-agent.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import { userMessage } from "../../core-under-test.ts";
import { type Asked, delegates, roles } from "../../subtasks/delegating.ts";
import {
  answerIn,
  asks,
  asTimePasses,
  sends,
  theCall,
  toolOutputs,
  untilUnsolicited,
  untilUnsolicitedAsTimePasses,
} from "../peers-under-test.ts";
import { hint, type RemotePair, startRemote, stopRemote, to } from "./remote-under-test.ts";

let pair: RemotePair;
afterEach(() => stopRemote(pair));

const start = async (...args: Parameters<typeof startRemote>): Promise<RemotePair> => {
  pair = await startRemote(...args);
  return pair;
};

const DELEGATE = asks(to("count them", "task_delegate"));
const CONSULT = asks(to("any ships?", "consult"));
const WITHOUT_STREAM = { remoteAgent: { capabilities: { streaming: false } } };

/** A subtask ends after this time, even if it waits for an answer. */
const CEILING_MS = 300_000;

/** States in which a remote task does no more work, besides "completed" and "failed". */
const endStates: [string, TaskState, string][] = [
  ["rejects the task", TaskState.TASK_STATE_REJECTED, "The agent rejected the task."],
  ["cancels the task", TaskState.TASK_STATE_CANCELED, "The agent cancelled the task."],
  ["requires a sign-in", TaskState.TASK_STATE_AUTH_REQUIRED, "The agent requires a sign-in that I cannot provide."],
];

/** The person gets the error, the call has failed, and the activity entry is complete. */
const expectFailed = async ({ core }: RemotePair, text: string): Promise<void> => {
  const [reply] = await untilUnsolicitedAsTimePasses(core);
  expect(reply?.markdown).toBe(`told: ${text}`);
  expect(await theCall(core)).toMatchObject({ state: "failed", error: text });
  const isOver = (replies: readonly AgentReply[]) =>
    replies.some((one) => one.kind === "completion" && activityOf(one)?.items[0]?.state === "failed");
  await asTimePasses(core, core.replies.until(isOver));
};

describe.each(endStates)("given a remote agent that %s (L1)", (_, state, text) => {
  const at = (round: "first" | "later", said?: string): { behave: Behaviour; open: () => void } => {
    const gate = new Gate();
    const behave = async (work: Work) => {
      if (round === "later") {
        work.status(TaskState.TASK_STATE_WORKING, "counting");
        await gate.opened;
      }
      work.status(state, said);
    };
    return { behave, open: () => gate.release() };
  };

  it("when that is its first status, then the delegation fails and the person gets the error", async () => {
    const { core } = await start(DELEGATE, at("first").behave);
    await core.receive(userMessage("m-1", "go"));
    await expectFailed(pair, text);
  });

  it("when it gives a reason, then the person gets the reason instead", async () => {
    const { core } = await start(DELEGATE, at("first", "no fog lamps").behave);
    await core.receive(userMessage("m-1", "go"));
    await expectFailed(pair, "no fog lamps");
  });

  it("when it has reported progress before, then the update in the stream ends the call", async () => {
    const { behave, open } = at("later");
    const { core, remote } = await start(DELEGATE, behave);
    await core.ask("m-1", "go");
    while (remote.received.length === 0) await new Promise(setImmediate);
    expect((await theCall(core)).state).toBe("open");
    open();
    await expectFailed(pair, text);
  });

  it.each([
    ["it is polled", async () => {}],
    ["it calls our webhook", () => hint(pair)],
  ])("when it does not stream and %s, then the call ends", async (_how, notify) => {
    const { behave, open } = at("later");
    const { core, remote } = await start(DELEGATE, behave, WITHOUT_STREAM);
    await core.ask("m-1", "go");
    while (remote.received.length === 0) await new Promise(setImmediate);
    open();
    await notify();
    await expectFailed(pair, text);
  });

  it("when a subtask waits for it, then the subtask ends with the error, and its batch has one answer", async () => {
    const subagent = (asked: Asked) =>
      asked.text.includes("failed: ")
        ? `boats: ${answerIn(asked.text)}`
        : sends(to("count them", "task_delegate"))(asked);
    const continuation = ({ text: results }: Asked) => `told: ${results}`;
    const script = roles({ primary: delegates(["boats"], "on it"), subagent, continuation });
    const { core } = await start(script, at("first").behave);
    await core.receive(userMessage("m-1", "go"));
    const replies = await untilUnsolicitedAsTimePasses(core);
    expect(replies).toHaveLength(1);
    expect(replies[0]?.markdown).toContain(text);
  });

  it("when the subtask has ended before, then the person gets the error as a late answer (L2)", async () => {
    const { behave, open } = at("later");
    const script = roles({
      primary: delegates(["boats"], "on it"),
      subagent: sends(to("count them", "task_delegate"), "waiting"),
      continuation: ({ text: late }) => (late.startsWith("[late") ? `late: ${answerIn(late)}` : "so far"),
    });
    const { core, remote } = await start(script, behave, WITHOUT_STREAM);
    await core.receive(userMessage("m-1", "go"));
    while (remote.received.length === 0) await new Promise(setImmediate);
    await core.clock.passNext(CEILING_MS);
    await untilUnsolicited(core);
    open();
    const replies = await untilUnsolicitedAsTimePasses(core, 2);
    expect(replies[1]?.markdown).toBe(`late: ${text}\n\n_From ships._`);
  });

  it("when it is consulted, then the tool's result has the error, and the call has ended", async () => {
    const { core } = await start(CONSULT, at("first").behave);
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toBe(`ships gave no answer: ${text}`);
    expect((await theCall(core)).state).toBe("failed");
  });
});
