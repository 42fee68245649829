import { afterEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import { type Answer, calls } from "../../fakes/scripted-model.ts";
import type { CoreUnderTest } from "../core-under-test.ts";
import { AGENT, userMessage } from "../core-under-test.ts";
import { completions, delegates, Held, roles, startDelegating, untilFinals } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const GATHER_MS = 150;
const elsewhere: Conversation = { channel: "web", room: "room-2", kind: "private" };
const lobby: Conversation = { channel: "web", room: "lobby", kind: "shared" };
const bob: MessageFields = { account: { id: "bob", name: "Bob" } };

/** Streams a text and then waits for the held answer. */
const begins = (text: string, held: Held): Answer => {
  const { answer } = held;
  if (typeof answer !== "function") throw new Error("a held answer is a function");
  return (options) => {
    options.onText(text);
    return answer(options);
  };
};

const stop = async (id: string, more: MessageFields = {}, isReported = true): Promise<AgentReply> => {
  const reported = new Recorder<string>();
  const listening = await core.backbone.bus.listen(subjectsOf("default").turnsReported(AGENT), ({ ask }) =>
    reported.add(ask),
  );
  const message = userMessage(id, "", { command: { name: "cancel", args: "answer" }, ...more });
  // Under its own key, as the inbox publishes commands: otherwise it would wait for the answer that it stops.
  await core.backbone.bus.publish(subjectsOf("default").userMessage(AGENT), message, { id, key: "commands" });
  if (isReported) await reported.until((asks) => asks.includes(id));
  await core.clock.passNext(GATHER_MS);
  listening.close();
  return core.replyTo(id);
};

describe("given an answer that is being written", () => {
  it("when the asker stops it, then the text so far is the answer, and the next message is answered", async () => {
    const held = new Held();
    core = await startDelegating(
      roles({ primary: ({ text }) => (text === "go on" ? "hello again" : begins("The tide", held)) }),
    );
    await core.receive(userMessage("m-1", "tell me everything"));
    await held.asked;
    expect((await stop("m-2")).markdown).toBe("Okay, I stopped.");
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

  it("when another person, or the asker in another conversation, stops it, then it continues (I3)", async () => {
    const held = new Held();
    core = await startDelegating(roles({ primary: () => held.answer }));
    await core.receive(userMessage("m-1", "think", { conversation: lobby }));
    await held.asked;
    expect((await stop("m-2", { ...bob, conversation: lobby }, false)).markdown).toContain("not writing an answer");
    expect((await stop("m-3", { conversation: elsewhere })).markdown).toContain("not writing an answer");
    held.give("done");
    expect(await core.replyTo("m-1")).toMatchObject({ outcome: "answered", markdown: "done" });
  });

  it("when its turn has delegated work, then that work continues and is reported", async () => {
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

  it("when its turn also waits for a blocking subtask, then that subtask is cancelled and the other results are reported (B2)", async () => {
    const held = new Held();
    const spawn = (name: string, blocking: boolean) => ({
      name: "spawn_subtask",
      input: { name, prompt: `do ${name}`, blocking },
      id: name,
    });
    core = await startDelegating(
      roles({
        primary: () => calls(spawn("dig", false), spawn("wait", true)),
        subagent: ({ text }) => (text === "do dig" ? "dug" : held.answer),
        continuation: ({ text }) => text.slice(text.indexOf("### ")),
      }),
    );
    await core.receive(userMessage("m-1", "go"));
    await held.asked;
    await stop("m-2");
    expect(await core.replyTo("m-1")).toMatchObject({ outcome: "cancelled" });
    expect((await untilFinals(core, 2))[1]?.markdown).toMatch(/^### dig \(.*\): completed\ndug$/);
    const [entry] = completions(await core.replies.until((replies) => completions(replies).length === 1));
    expect(entry?.markdown.split("\n").sort()).toEqual(["- dig: done", "- wait: cancelled", expect.any(String)]);
  });

  it("when it is stopped before its subtasks are recorded, then they do not start (B2)", async () => {
    const logger = new RecordingLogger();
    const [begun, goOn] = [new Recorder<string>(), new Recorder<string>()];
    const held = ({ store, ...backbone }: Backbone): Backbone => ({
      ...backbone,
      store: {
        get: (key, known) => store.get(key, known),
        delete: (key, options) => store.delete(key, options),
        list: (prefix) => store.list(prefix),
        put: async (key, value, options) => {
          if (key.collection.name === "work-of") {
            begun.add("");
            await goOn.count(1);
          }
          return store.put(key, value, options);
        },
      },
    });
    core = await startDelegating(roles({ primary: delegates(["dig"], "on it") }), { logger, wrap: held });
    await core.receive(userMessage("m-1", "go"));
    await begun.count(1);
    await stop("m-2");
    expect(await core.replyTo("m-1")).toMatchObject({ outcome: "cancelled" });
    goOn.add("");
    await logger.lines.until((lines) => lines.some(({ message }) => message === "subtasks refused"));
    expect(logger.lines.items.map(({ message }) => message)).not.toContain("subtask created");
  });
});
