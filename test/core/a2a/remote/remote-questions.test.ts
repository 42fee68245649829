import { afterEach, describe, expect, it } from "vitest";
import { callKey } from "../../../../core/a2a/record/peer-call.ts";
import { type Behaviour, TaskState } from "../../../fakes/a2a/sdk-agent.ts";
import { calls, type Script } from "../../../fakes/scripted-model.ts";
import { userMessage } from "../../core-under-test.ts";
import { type Asked, backgroundTask, delegates, finals, roles, untilFinals } from "../../subtasks/delegating.ts";
import {
  answerIn,
  asTimePasses,
  isPause,
  sends,
  untilUnsolicited,
  untilUnsolicitedAsTimePasses,
} from "../peers-under-test.ts";
import { callOf, type RemotePair, startRemote, stopRemote, taskIn, to, withRemote } from "./remote-under-test.ts";

let pair: RemotePair;
const hung: (() => void)[] = [];
afterEach(async () => {
  for (const letGo of hung.splice(0)) letGo();
  await stopRemote(pair);
});

const start = async (...args: Parameters<typeof startRemote>): Promise<RemotePair> => {
  pair = await startRemote(...args);
  return pair;
};

const asking: Behaviour = (work) =>
  work.round === 1
    ? work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "which harbour?")
    : work.answer(`in ${work.text}: three`);

/** Answers every question with "Bergen" while it waits, and says at last what came of it. */
const patient: Script = roles({
  primary: ({ outputs }) => {
    const last = outputs.at(-1) ?? "";
    const task = taskIn(last);
    if (outputs.length > 0 && task === undefined) return `end: ${last}`;
    return calls({ name: "send_message_to_agent", input: { ...to("Bergen", "consult"), ...(task && { task }) } });
  },
});

/** Asks the person, and passes on what they say. */
const passingOn: Script = roles({
  primary: (asked: Asked) => {
    if (asked.text !== "Bergen") return sends(to("any ships?", "task_delegate"))(asked);
    const task = taskIn(JSON.stringify(asked.request.messages));
    return sends({ ...to("Bergen", "task_delegate"), task }, "passed on")(asked);
  },
  continuation: ({ text }) => (text.startsWith("[question") ? "Which harbour do you mean?" : `told: ${answerIn(text)}`),
});

describe("given a remote agent that wants to know something first", () => {
  it("when a consultation is asked back, then the answer goes on with the same task (A9)", async () => {
    const { core, remote } = await start(patient, asking);
    expect((await core.ask("m-1", "go")).markdown).toContain("in Bergen: three");
    expect(remote.heard).toHaveLength(2);
    expect(remote.heard[1]?.taskId).not.toBe("");
  });

  const handsOn: Script = roles({
    primary: ({ text, outputs, request }) => {
      const task = text === "Bergen" ? taskIn(JSON.stringify(request.messages)) : undefined;
      if (outputs.length > 0) return task ? "passed on" : "Which harbour do you mean?";
      return calls({
        name: "send_message_to_agent",
        input: { ...to(task ? text : "any ships?", "consult"), ...(task && { task }) },
      });
    },
    continuation: ({ text }) => (text.startsWith("[question") ? "asked again" : `told: ${answerIn(text)}`),
  });

  it.each(["goes on", "is started anew"])(
    "when a consultation asks the person, and core %s, then the question is told once (A9)",
    async (what) => {
      const { core, remote } = await start(handsOn, asking);
      expect((await core.ask("m-1", "go")).markdown).toBe("Which harbour do you mean?");
      const isRestart = what === "is started anew";
      if (isRestart) {
        const stopped = core.stopCore();
        core.clock.advance(10_000);
        await stopped;
      }
      const restarted = isRestart ? await core.startCore(withRemote(remote)) : undefined;
      for (let looks = 0; looks < 4; looks++) {
        const before = remote.requests.length;
        await core.clock.passNextOf(isPause);
        while (remote.requests.length === before) await new Promise(setImmediate);
      }
      await core.receive(userMessage("m-2", "Bergen"));
      await asTimePasses(core, core.replyTo("m-2"), isPause);
      const told = await asTimePasses(core, untilUnsolicited(core), isPause);
      expect(told.map(({ markdown }) => markdown)).toEqual(["told: in Bergen: three"]);
      expect(finals(core.replies.items)).toHaveLength(3);
      await restarted?.stop();
    },
  );

  it("when the turn that read the question fails, then a turn of its own tells it", async () => {
    const { core } = await start(
      roles({
        primary: ({ outputs }) => {
          if (outputs.length > 0) throw new Error("the model is down");
          return calls({ name: "send_message_to_agent", input: to("any ships?", "consult") });
        },
        continuation: ({ text }) => (text.startsWith("[question") ? "Which harbour do you mean?" : text),
      }),
      asking,
    );
    await core.receive(userMessage("m-1", "go"));
    const [told] = await untilUnsolicitedAsTimePasses(core);
    expect(told?.markdown).toBe("Which harbour do you mean?");
  });

  it("when a delegation is asked back, then the person is asked, and the answer goes on with it", async () => {
    const { core } = await start(passingOn, asking);
    await core.receive(userMessage("m-1", "go"));
    expect((await untilUnsolicitedAsTimePasses(core))[0]?.markdown).toBe("Which harbour do you mean?");
    await core.ask("m-2", "Bergen");
    expect((await untilUnsolicitedAsTimePasses(core, 2)).at(-1)?.markdown).toBe("told: in Bergen: three");
  });

  it("when it asks a subtask, then the subtask answers while it waits for the result (L1, S10)", async () => {
    const { core, remote } = await start(
      roles({
        primary: delegates(["boats"], "on it"),
        subagent: (asked) => {
          const told = JSON.stringify(asked.request.messages);
          const task = taskIn(told);
          if (told.includes("in Bergen: three")) return "three in Bergen";
          if (task === undefined) return sends(to("any ships?", "task_delegate"), "waiting")(asked);
          return sends({ ...to("Bergen", "task_delegate"), task }, "waiting")({ ...asked, text: "" });
        },
        continuation: ({ text }) => `so: ${text.split("\n").at(-1)}`,
      }),
      asking,
    );
    await core.receive(userMessage("m-1", "go"));
    const [reply] = await asTimePasses(core, untilUnsolicited(core), isPause);
    expect(reply?.markdown).toBe("so: three in Bergen");
    expect(remote.heard).toHaveLength(2);
  });

  it.each(["which harbour?", "constructor", "__proto__"])(
    "when it asks the same for the third time, then that ends it (A9): %s",
    async (question) => {
      const { core, remote } = await start(patient, (work) =>
        work.status(TaskState.TASK_STATE_INPUT_REQUIRED, question),
      );
      const reply = await core.ask("m-1", "go");
      expect(reply.markdown).toContain("asked the same again and again");
      expect(remote.heard).toHaveLength(3);
      expect(finals(core.replies.items)).toHaveLength(1);
    },
  );

  it("when it asks a 21st question, then that ends it (A9)", async () => {
    const { core, remote } = await start(
      patient,
      (work) => work.status(TaskState.TASK_STATE_INPUT_REQUIRED, `question ${work.round}?`),
      { agent: { peers: ["ships"], maxToolRounds: 40 } },
    );
    const reply = await core.ask("m-1", "go");
    expect(reply.markdown).toContain("asked more than 20 questions. The last one was: question 21?");
    expect(remote.heard).toHaveLength(21);
    expect(finals(core.replies.items)).toHaveLength(1);
  });

  it("when somebody else would answer it, then that is refused", async () => {
    const { core, remote } = await start(passingOn, asking);
    await core.receive(userMessage("m-1", "go"));
    await untilUnsolicitedAsTimePasses(core);
    const id = remote.heard[0]?.messageId ?? "";
    core.model.follow(
      roles({ primary: sends({ ...to("Oslo", "task_delegate"), task: id }, ([output]) => `${output}`) }),
    );
    const reply = await core.ask("x-1", "answer it", {
      conversation: { channel: "web", room: "room-2", kind: "private" },
      account: { id: "bob", name: "Bob" },
    });
    expect(reply.markdown).toContain(`You have no task "${id}" with ships`);
    expect(remote.heard).toHaveLength(1);
  });
});

describe("given our answer to a remote agent's question", () => {
  /** Takes a minute over our answer: time enough to send it again. */
  const slow: Behaviour = async (work) => {
    if (work.round > 1) {
      work.status(TaskState.TASK_STATE_WORKING, "counting");
      const { clock } = pair.core;
      for (const until = clock.now() + 60_000; clock.now() <= until; ) await new Promise(setImmediate);
    }
    await asking(work);
  };

  it.each(["answer.claimed", "answer.sent"])(
    "when its sender dies at %s, then it arrives all the same, and once",
    async (at) => {
      let deaths = 1;
      const checkpoint = async (name: string) => {
        // Whoever hangs here for good is as good as dead to all others.
        if (name === at && deaths-- > 0) await new Promise<void>((letGo) => hung.push(letGo));
      };
      const { core, remote } = await start(passingOn, slow, { checkpoint });
      await core.receive(userMessage("m-1", "go"));
      await untilUnsolicitedAsTimePasses(core);
      await core.ask("m-2", "Bergen");
      const told = await asTimePasses(core, untilUnsolicited(core, 2), isPause);
      expect(told.at(-1)?.markdown).toBe("told: in Bergen: three");
      expect(remote.heard.map(({ messageId }) => messageId)).toEqual([
        expect.stringMatching(/^call-[0-9a-f]{12}$/),
        expect.stringMatching(/^call-[0-9a-f]{12}-1$/),
      ]);
    },
  );

  it("when whoever closed the call died before it was counted, then a schedule's run that answers is not left silent", async () => {
    const closesFirst = async () => {
      const call = await callOf(pair);
      if (call) await pair.core.backbone.store.put(callKey(call), { ...call, state: "failed", error: "gone" });
      return calls({
        name: "send_message_to_agent",
        input: { ...to("Bergen", "consult"), task: call?.id },
      });
    };
    const script = roles({
      primary: ({ outputs }) => {
        if (outputs.length === 0) return calls({ name: "send_message_to_agent", input: to("any ships?", "consult") });
        return outputs.length === 1 ? closesFirst : `end: ${outputs[1]}`;
      },
    });
    const { core } = await start(script, asking);
    await core.receive(backgroundTask("run-1", "brief me"));
    expect((await untilFinals(core, 1))[0]?.markdown).toMatch(/^end: .*gone/s);
  });

  it("when its tool call dies after the next question has come, then that question gets no answer that was not for it", async () => {
    let deaths = 1;
    const checkpoint = (name: string) => {
      if (name === "tool.after" && pair?.remote.heard.length === 2 && deaths-- > 0) throw new Error("dead");
    };
    const words = ["any ships?", "Bergen", "the third"];
    const choosing = roles({
      primary: ({ outputs }) => {
        const task = taskIn(outputs.at(-1) ?? "");
        const message = words[outputs.length];
        if (message === undefined) return `end: ${outputs.at(-1)}`;
        return calls({ name: "send_message_to_agent", input: { ...to(message, "consult"), ...(task && { task }) } });
      },
    });
    const { core, remote } = await start(
      choosing,
      (work) => {
        const question = ["which harbour?", "which quay?"][work.round - 1];
        if (question === undefined) work.answer(`at ${work.text}: none`);
        else work.status(TaskState.TASK_STATE_INPUT_REQUIRED, question);
      },
      { checkpoint },
    );
    await core.receive(userMessage("m-1", "go"));
    const { markdown } = await asTimePasses(core, core.replyTo("m-1"), (ms) => ms === 2);
    expect(markdown).toContain("at the third: none");
    expect(remote.heard.map(({ parts }) => parts[0]?.content?.value)).toEqual(words);
  });

  it.each([
    ["never gets there", false],
    ["gets there, but nobody hears of it", true],
  ])("when it %s, then it is looked after, and arrives once", async (_, isHandled) => {
    let sendings = 0;
    const isSecond = (method: string) => method === "SendMessage" && ++sendings === 2;
    const { core, remote } = await start(passingOn, isHandled ? slow : asking, {
      remoteAgent: isHandled
        ? { isCut: isSecond }
        : {
            intercept: (_request, response, body) => {
              if (body === "" || !isSecond(JSON.parse(body).method)) return false;
              response.destroy();
              return true;
            },
          },
    });
    await core.receive(userMessage("m-1", "go"));
    await untilUnsolicitedAsTimePasses(core);
    await core.ask("m-2", "Bergen");
    const told = await asTimePasses(core, untilUnsolicited(core, 2), isPause);
    expect(told.at(-1)?.markdown).toBe("told: in Bergen: three");
    expect(remote.heard).toHaveLength(2);
  });
});
