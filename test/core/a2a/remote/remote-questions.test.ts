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

/** Answers every question with "Bergen" while it waits, and ends with the result. */
const patient: Script = roles({
  primary: ({ outputs }) => {
    const last = outputs.at(-1) ?? "";
    const task = taskIn(last);
    if (outputs.length > 0 && task === undefined) return `end: ${last}`;
    return calls({ name: "send_message_to_agent", input: { ...to("Bergen", "consult"), ...(task && { task }) } });
  },
});

/** Asks the person and passes their answer on. */
const passingOn: Script = roles({
  primary: (asked: Asked) => {
    if (asked.text !== "Bergen") return sends(to("any ships?", "task_delegate"))(asked);
    const task = taskIn(JSON.stringify(asked.request.messages));
    return sends({ ...to("Bergen", "task_delegate"), task }, "passed on")(asked);
  },
  continuation: ({ text }) => (text.startsWith("[question") ? "Which harbour do you mean?" : `told: ${answerIn(text)}`),
});

describe("given a remote agent that asks a question", () => {
  it("when it asks a consultation, then the answer continues the same task (A9)", async () => {
    const { core, remote } = await start(patient, asking);
    expect((await core.ask("m-1", "go")).markdown).toContain("in Bergen: three");
    expect(remote.received).toHaveLength(2);
    expect(remote.received[1]?.taskId).not.toBe("");
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

  it.each(["keeps running", "restarts"])(
    "when a consultation passes the question to the person and core %s, then the question is asked once (A9)",
    async (what) => {
      const { core, remote } = await start(handsOn, asking);
      expect((await core.ask("m-1", "go")).markdown).toBe("Which harbour do you mean?");
      const isRestart = what === "restarts";
      if (isRestart) {
        const stopped = core.stopCore();
        core.clock.advance(10_000);
        await stopped;
      }
      const restarted = isRestart ? await core.startCore(withRemote(remote)) : undefined;
      for (let polls = 0; polls < 4; polls++) {
        const before = remote.requests.length;
        await core.clock.passNextOf(isPause);
        while (remote.requests.length === before) await new Promise(setImmediate);
      }
      await core.receive(userMessage("m-2", "Bergen"));
      await asTimePasses(core, core.replyTo("m-2"), isPause);
      const replies = await asTimePasses(core, untilUnsolicited(core), isPause);
      expect(replies.map(({ markdown }) => markdown)).toEqual(["told: in Bergen: three"]);
      expect(finals(core.replies.items)).toHaveLength(3);
      await restarted?.stop();
    },
  );

  it("when the turn that read the question fails, then another turn asks it", async () => {
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
    const [reply] = await untilUnsolicitedAsTimePasses(core);
    expect(reply?.markdown).toBe("Which harbour do you mean?");
  });

  it("when it asks a delegation, then the person is asked, and their answer continues the task", async () => {
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
          const prompt = JSON.stringify(asked.request.messages);
          const task = taskIn(prompt);
          if (prompt.includes("in Bergen: three")) return "three in Bergen";
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
    expect(remote.received).toHaveLength(2);
  });

  it.each(["which harbour?", "constructor", "__proto__"])(
    "when it asks the same question for the third time, then the call ends (A9): %s",
    async (question) => {
      const { core, remote } = await start(patient, (work) =>
        work.status(TaskState.TASK_STATE_INPUT_REQUIRED, question),
      );
      const reply = await core.ask("m-1", "go");
      expect(reply.markdown).toContain("asked the same question 3 times");
      expect(remote.received).toHaveLength(3);
      expect(finals(core.replies.items)).toHaveLength(1);
    },
  );

  it("when it asks a 21st question, then the call ends (A9)", async () => {
    const { core, remote } = await start(
      patient,
      (work) => work.status(TaskState.TASK_STATE_INPUT_REQUIRED, `question ${work.round}?`),
      { agent: { peers: ["ships"], maxToolRounds: 40 } },
    );
    const reply = await core.ask("m-1", "go");
    expect(reply.markdown).toContain("asked more than 20 questions. The last one was: question 21?");
    expect(remote.received).toHaveLength(21);
    expect(finals(core.replies.items)).toHaveLength(1);
  });

  it("when another person answers it, then the answer is refused", async () => {
    const { core, remote } = await start(passingOn, asking);
    await core.receive(userMessage("m-1", "go"));
    await untilUnsolicitedAsTimePasses(core);
    const id = remote.received[0]?.messageId ?? "";
    core.model.follow(
      roles({ primary: sends({ ...to("Oslo", "task_delegate"), task: id }, ([output]) => `${output}`) }),
    );
    const reply = await core.ask("x-1", "answer it", {
      conversation: { channel: "web", room: "room-2", kind: "private" },
      account: { id: "bob", name: "Bob" },
    });
    expect(reply.markdown).toContain(`You have no task "${id}" with ships`);
    expect(remote.received).toHaveLength(1);
  });
});

describe("given our answer to a remote agent's question", () => {
  /** Works on our answer for a minute, long enough for a retry. */
  const slow: Behaviour = async (work) => {
    if (work.round > 1) {
      work.status(TaskState.TASK_STATE_WORKING, "counting");
      const { clock } = pair.core;
      for (const until = clock.now() + 60_000; clock.now() <= until; ) await new Promise(setImmediate);
    }
    await asking(work);
  };

  it.each(["answer.claimed", "answer.sent"])(
    "when its sender crashes at %s, then it arrives exactly once",
    async (at) => {
      let crashes = 1;
      const checkpoint = async (name: string) => {
        // A process that hangs for good looks like a crashed one to all others.
        if (name === at && crashes-- > 0) await new Promise<void>((letGo) => hung.push(letGo));
      };
      const { core, remote } = await start(passingOn, slow, { checkpoint });
      await core.receive(userMessage("m-1", "go"));
      await untilUnsolicitedAsTimePasses(core);
      await core.ask("m-2", "Bergen");
      const replies = await asTimePasses(core, untilUnsolicited(core, 2), isPause);
      expect(replies.at(-1)?.markdown).toBe("told: in Bergen: three");
      expect(remote.received.map(({ messageId }) => messageId)).toEqual([
        expect.stringMatching(/^call-[0-9a-f]{12}$/),
        expect.stringMatching(/^call-[0-9a-f]{12}-1$/),
      ]);
    },
  );

  it("when the process that ended the call crashed before it counted the end, then a schedule run that answers still publishes its final", async () => {
    const endsFirst = async () => {
      const call = await callOf(pair);
      if (call) await pair.core.backbone.store.put(callKey(call), { ...call, state: "failed", error: "expired" });
      return calls({
        name: "send_message_to_agent",
        input: { ...to("Bergen", "consult"), task: call?.id },
      });
    };
    const script = roles({
      primary: ({ outputs }) => {
        if (outputs.length === 0) return calls({ name: "send_message_to_agent", input: to("any ships?", "consult") });
        return outputs.length === 1 ? endsFirst : `end: ${outputs[1]}`;
      },
    });
    const { core } = await start(script, asking);
    await core.receive(backgroundTask("run-1", "brief me"));
    expect((await untilFinals(core, 1))[0]?.markdown).toMatch(/^end: .*expired/s);
  });

  it("when its tool call is repeated after the next question has arrived, then that question does not get the old answer", async () => {
    let crashes = 1;
    const checkpoint = (name: string) => {
      if (name === "tool.after" && pair?.remote.received.length === 2 && crashes-- > 0) throw new Error("crashed");
    };
    const messages = ["any ships?", "Bergen", "the third"];
    const choosing = roles({
      primary: ({ outputs }) => {
        const task = taskIn(outputs.at(-1) ?? "");
        const message = messages[outputs.length];
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
    expect(remote.received.map(({ parts }) => parts[0]?.content?.value)).toEqual(messages);
  });

  it.each([
    ["does not arrive", false],
    ["arrives, but its response is lost", true],
  ])("when it %s, then the task is checked, and the answer arrives once", async (_, isHandled) => {
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
    const replies = await asTimePasses(core, untilUnsolicited(core, 2), isPause);
    expect(replies.at(-1)?.markdown).toBe("told: in Bergen: three");
    expect(remote.received).toHaveLength(2);
  });
});
