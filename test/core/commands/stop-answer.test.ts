import { afterEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/agent-reply.ts";
import type { Conversation } from "../../../core/contract/conversation.ts";
import { subjectsOf } from "../../../core/contract/subjects.ts";
import type { UserMessage } from "../../../core/contract/user-message.ts";
import { Recorder } from "../../fakes/recorder.ts";
import type { Answer } from "../../fakes/scripted-model.ts";
import type { CoreUnderTest } from "../core-under-test.ts";
import { AGENT, userMessage } from "../core-under-test.ts";
import { delegates, Held, roles, startDelegating } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const GATHER_MS = 150;
const elsewhere: Conversation = { channel: "web", room: "room-2", kind: "private" };
const lobby: Conversation = { channel: "web", room: "lobby", kind: "shared" };
const bob: Partial<UserMessage> = { account: { id: "bob", name: "Bob" } };

/** Says something, and then thinks until it is told to stop. */
const begins = (text: string, held: Held): Answer => {
  const { answer } = held;
  if (typeof answer !== "function") throw new Error("a held answer is a function");
  return (options) => {
    options.onText(text);
    return answer(options);
  };
};

const stop = async (id: string, more: Partial<UserMessage> = {}, isTold = true): Promise<AgentReply> => {
  const told = new Recorder<string>();
  const listening = await core.backbone.bus.listen(subjectsOf("default").turnsTold(AGENT), ({ ask }) => told.add(ask));
  const message = userMessage(id, "", { command: { name: "cancel", args: "answer" }, ...more });
  // In a lane of its own, as the inbox does it: it would wait for the answer that it stops.
  await core.backbone.bus.publish(subjectsOf("default").userMessage(AGENT), message, { id, key: "commands" });
  if (isTold) await told.until((asks) => asks.includes(id));
  await core.clock.passNext(GATHER_MS);
  listening.close();
  return core.replyTo(id);
};

describe("given an answer that is being written", () => {
  it("when whoever asked stops it, then what was said so far is the answer, and the next message is heard", async () => {
    const held = new Held();
    core = await startDelegating(
      roles({ primary: ({ text }) => (text === "go on" ? "hello again" : begins("The tide", held)) }),
    );
    await core.receive(userMessage("m-1", "tell me everything"));
    await held.asked;
    expect((await stop("m-2")).markdown).toBe("I stopped.");
    const reply = await core.replyTo("m-1");
    expect(reply).toMatchObject({ kind: "final", outcome: "cancelled", markdown: "The tide …\n\n_Stopped._" });
    expect((await core.ask("m-3", "go on")).markdown).toBe("hello again");
  });

  it("when it runs in another process, then it is stopped there", async () => {
    const held = new Held();
    core = await startDelegating(roles({ primary: () => held.answer }));
    const other = await core.startCore();
    await core.receive(userMessage("m-1", "think"));
    await held.asked;
    await stop("m-2");
    expect(await core.replyTo("m-1")).toMatchObject({ outcome: "cancelled", markdown: "_Stopped._" });
    await other.stop();
  });

  it("when somebody else, or the same person elsewhere, says so, then it goes on (I3)", async () => {
    const held = new Held();
    core = await startDelegating(roles({ primary: () => held.answer }));
    await core.receive(userMessage("m-1", "think", { conversation: lobby }));
    await held.asked;
    expect((await stop("m-2", { ...bob, conversation: lobby }, false)).markdown).toContain("not writing an answer");
    expect((await stop("m-3", { conversation: elsewhere })).markdown).toContain("not writing an answer");
    held.give("done");
    expect(await core.replyTo("m-1")).toMatchObject({ outcome: "answered", markdown: "done" });
  });

  it("when it has delegated before, then that work goes on and reports", async () => {
    const held = new Held();
    core = await startDelegating(
      roles({ primary: (asked) => (asked.outputs.length === 0 ? delegates(["dig"], "")(asked) : held.answer) }),
    );
    await core.receive(userMessage("m-1", "go"));
    await held.asked;
    await stop("m-2");
    expect(await core.replyTo("m-1")).toMatchObject({ outcome: "cancelled" });
    const answers = await core.replies.until((replies) =>
      replies.some(({ kind, correlationId }) => kind === "final" && correlationId === undefined),
    );
    expect(answers.at(-1)?.markdown).toBe("in short");
  });
});
