import { afterEach, describe, expect, it } from "vitest";
import { type LateItem, readLate } from "../../../../core/a2a/calls/late-record.ts";
import { WorkingMemory } from "../../../../core/memory/working-memory.ts";
import { type Behaviour, TaskState } from "../../../fakes/a2a/sdk-agent.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import { type Answer, calls, says } from "../../../fakes/scripted-model.ts";
import { AGENT, userMessage } from "../../core-under-test.ts";
import { type Asked, delegates, roles } from "../../subtasks/delegating.ts";
import {
  answerIn,
  isPause,
  sends,
  unsolicited,
  untilUnsolicited,
  untilUnsolicitedAsTimePasses,
} from "../peers-under-test.ts";
import { hint, type RemotePair, startRemote, stopRemote, taskIn, to } from "../remote/remote-under-test.ts";

let pair: RemotePair;
let late: Gate;
afterEach(() => stopRemote(pair));

const CEILING_MS = 300_000;

/** A subtask asks the remote agent, which continues only after the subtask's deadline. */
const begin = async (
  behave: Behaviour,
  primary: (asked: Asked) => Answer = delegates(["boats"], "on it"),
  tells: (asked: Asked) => Answer = ({ text }) => `late: ${lateIn(text)}`,
) => {
  late = new Gate();
  pair = await startRemote(
    roles({
      primary,
      subagent: sends(to("count them", "task_delegate"), "waiting"),
      continuation: (asked) => (asked.text.startsWith("[late") ? tells(asked) : "so far"),
    }),
    async (work) => {
      await late.opened;
      await behave(work);
    },
  );
  const { core, remote } = pair;
  await core.receive(userMessage("m-1", "go"));
  while (remote.received.length === 0) await new Promise(setImmediate);
  await core.clock.passNext(CEILING_MS);
  await untilUnsolicited(core);
  late.release();
  return pair;
};

const lateIn = (text: string): string => /wants to know: (.*)/.exec(text)?.[1] ?? answerIn(text);

/** Polls until the session's memory holds a note of this kind. */
const untilNoted = async ({ core }: RemotePair, kind: string): Promise<string> => {
  const memory = new WorkingMemory(core.backbone.store, core.clock, (await core.replyTo("m-1")).sessionId ?? "");
  for (;;) {
    await hint(pair);
    const found = (await memory.list()).find(({ key }) => key.endsWith(`/${kind}`));
    // The index lists the note before its text is stored.
    const note = found && (await memory.get(found.key));
    if (note !== undefined) return note;
    await new Promise(setImmediate);
  }
};

describe("given a remote agent that sends updates after the subtask that asked it has ended", () => {
  it("when it reports progress, then that is stored without a turn (L2)", async () => {
    const { core } = await begin((work) => {
      work.status(TaskState.TASK_STATE_WORKING, "still counting");
      return new Promise(() => {});
    });
    expect(await untilNoted(pair, "status")).toContain("ships is working: still counting");
    await core.clock.passNextOf((ms) => ms > 0 && ms <= 2_000);
    await core.ask("last", "", { command: { name: "help", args: "" } });
    expect(unsolicited(core.replies.items)).toHaveLength(1);
  });

  it("when it ends after a progress update, then the progress note is deleted (L5)", async () => {
    const counting = new Gate();
    const { core } = await begin(async (work) => {
      work.status(TaskState.TASK_STATE_WORKING, "still counting");
      await counting.opened;
      work.answer("seven");
    });
    await untilNoted(pair, "status");
    counting.release();
    await untilUnsolicitedAsTimePasses(core, 2);
    await core.ask("last", "", { command: { name: "help", args: "" } });
    const memory = new WorkingMemory(core.backbone.store, core.clock, (await core.replyTo("m-1")).sessionId ?? "");
    expect(await memory.list()).toEqual([]);
  });

  it("when it fails, then the person gets the failure with its source (L1, L3)", async () => {
    const { core } = await begin((work) => work.status(TaskState.TASK_STATE_FAILED, "fog"));
    const replies = await untilUnsolicitedAsTimePasses(core, 2);
    expect(replies.at(-1)).toMatchObject({ markdown: "late: fog\n\n_From ships._", origin: { promptSummary: "go" } });
  });

  it("when it asks a question, then the person is asked, and their answer leads to the result (L1)", async () => {
    const passesOn = (asked: Asked) => {
      if (asked.text !== "Bergen") return delegates(["boats"], "on it")(asked);
      const task = taskIn(JSON.stringify(asked.request.messages));
      return sends({ ...to("Bergen", "task_delegate"), task }, "passed on")(asked);
    };
    const { core, remote } = await begin((work) => {
      if (work.round === 1) work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "which harbour?");
      else work.answer(`in ${work.text}: three`);
    }, passesOn);
    const asked = await untilUnsolicitedAsTimePasses(core, 2);
    expect(asked.at(-1)?.markdown).toBe("late: which harbour?\n\n_From ships._");
    await core.ask("m-2", "Bergen");
    core.clock.advance(31_000);
    const replies = await untilUnsolicitedAsTimePasses(core, 3);
    expect(replies.at(-1)).toMatchObject({
      markdown: "late: in Bergen: three\n\n_From ships._",
      origin: { promptSummary: "go" },
    });
    expect(remote.received).toHaveLength(2);
  });

  const asksTwice: Behaviour = (work) => {
    const question = ["which harbour?", "which quay?"][work.round - 1];
    if (question === undefined) work.answer(`at ${work.text}: none`);
    else work.status(TaskState.TASK_STATE_INPUT_REQUIRED, question);
  };

  /** Resolves once the remote agent's second question is listed as late. */
  const untilAskedAgain = async (): Promise<void> => {
    const { sessionId } = await pair.core.replyTo("m-1");
    const address = { tenant: "default", agent: AGENT, sessionId: sessionId ?? "" };
    const isAgain = ({ id }: LateItem) => id.endsWith("/input-required/2");
    while (!(await readLate(pair.core.backbone.store, address)).items.some(isAgain)) await new Promise(setImmediate);
  };

  const answerThen = (asked: Asked, then: string): Answer => {
    if (asked.outputs.length === 0) {
      const task = taskIn(JSON.stringify(asked.request.messages));
      return calls({ name: "send_message_to_agent", input: { ...to("Bergen", "task_delegate"), task } });
    }
    return async () => {
      await untilAskedAgain();
      return says(then);
    };
  };

  it("when its next question arrives during the turn about its first one, then both are reported (L5)", async () => {
    const { core } = await begin(asksTwice, undefined, (asked) =>
      asked.text.includes("which harbour?") ? answerThen(asked, "it knows now") : `late: ${lateIn(asked.text)}`,
    );
    await untilUnsolicitedAsTimePasses(core, 2);
    core.clock.advance(31_000);
    const replies = await untilUnsolicitedAsTimePasses(core, 3);
    expect(replies.map(({ markdown }) => markdown.split("\n")[0])).toEqual([
      "so far",
      "it knows now",
      "late: which quay?",
    ]);
  });

  it("when its question stays unanswered for many polls, then it is reported once (L1)", async () => {
    const { core } = await begin(asksTwice);
    await untilUnsolicitedAsTimePasses(core, 2);
    for (let polls = 0; polls < 10; polls++) await core.clock.passNextOf(isPause);
    await core.ask("last", "", { command: { name: "help", args: "" } });
    // A repeated publish has the same id.
    expect(new Set(unsolicited(core.replies.items).map(({ id }) => id))).toHaveLength(2);
    const prompts = core.model.requests.items.filter((request) =>
      JSON.stringify(request.messages.at(-1)).includes("[late"),
    );
    expect(prompts).toHaveLength(1);
  });
});
