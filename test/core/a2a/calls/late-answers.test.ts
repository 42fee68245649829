import { afterEach, describe, expect, it } from "vitest";
import { readLate } from "../../../../core/a2a/calls/late-record.ts";
import type { UserMessage } from "../../../../core/contract/messages/user-message.ts";
import { WorkingMemory } from "../../../../core/memory/working-memory.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { calls, type Script, ScriptedModel } from "../../../fakes/scripted-model.ts";
import { AGENT, type CoreUnderTest, userMessage } from "../../core-under-test.ts";
import type { Asked } from "../../subtasks/delegating.ts";
import {
  backgroundTask,
  counted,
  delegates,
  finals,
  Held,
  roles,
  subtask,
  subtaskIds,
} from "../../subtasks/delegating.ts";
import {
  answerIn,
  asTimePasses,
  lastPrompt,
  type Pair,
  type PairOptions,
  PEER,
  sends,
  startPair,
  unsolicited,
  untilUnsolicited,
  untilUnsolicitedAsTimePasses,
} from "../peers-under-test.ts";

let pair: Pair;
afterEach(() => pair.core.dispose());

const CEILING_MS = 300_000;
const DELEGATE = { message: "count the boats", msg_type: "task_delegate" };

const sessionOf = async (core: CoreUnderTest) => (await core.replyTo("m-1")).sessionId ?? "";
const memoryOf = (core: CoreUnderTest, sessionId: string) =>
  new WorkingMemory(core.backbone.store, core.clock, sessionId);

/** Resolves to the memory key of the late answer once it is stored. */
const lateNote = async (core: CoreUnderTest): Promise<string> => {
  const memory = memoryOf(core, await sessionOf(core));
  for (;;) {
    const note = (await memory.list()).find(({ key }) => key.startsWith("notifications/a2a"));
    if (note !== undefined && (await memory.get(note.key)) !== undefined) return note.key;
    await new Promise(setImmediate);
  }
};

/** A subtask that asks the peer and reports its answer. */
const asking = ({ outputs, request }: Asked) => {
  const prompts = request.messages.filter((m) => m.role === "user").map((m) => (m.role === "user" ? m.text : ""));
  const answer = prompts.find((text) => text.startsWith("[answer"));
  if (answer !== undefined) return `the peer says ${answerIn(answer)}`;
  return sends(DELEGATE, "waiting for it")({ outputs, request, text: "" });
};

const begin = async (held: Held, options: PairOptions = {}, message: UserMessage = userMessage("m-1", "go")) => {
  pair = await startPair(
    roles({
      primary: delegates(["boats"], "on it"),
      subagent: asking,
      continuation: ({ text }) =>
        text.startsWith("[late") ? `late: ${answerIn(text)}` : `so: ${text.split("\n").at(-1)}`,
    }),
    () => held.answer,
    options,
  );
  await pair.core.receive(message);
  await held.asked;
  return pair.core;
};

/** Ends the subtask before its peer has answered. */
const passCeiling = async (core: CoreUnderTest) => {
  await core.clock.passNext(CEILING_MS);
  await untilUnsolicited(core);
};

describe("given a subtask that asks a peer", () => {
  it("when the peer answers, then the subtask waits for it, and people see one answer (S10, B1)", async () => {
    const held = new Held();
    const core = await begin(held);
    held.give("seven boats");
    const [reply, ...more] = await untilUnsolicited(core);
    expect(reply?.markdown).toBe("so: the peer says seven boats");
    const prompted = core.model.requests.items.flatMap(({ messages }) => messages);
    expect(prompted).toContainEqual({
      role: "user",
      text: expect.stringContaining(`[answer from the agent "${PEER}"]\n`),
    });
    await core.ask("last", "", { command: { name: "help", args: "" } });
    expect(finals(core.replies.items)).toHaveLength(2);
    expect(more).toEqual([]);
  });

  it("when it completes before the peer has answered, then the tool refuses, and it waits (S10)", async () => {
    const held = new Held();
    pair = await startPair(
      roles({
        primary: delegates(["boats"], "on it"),
        subagent: (asked) => {
          if (asked.outputs.length !== 1) return asking(asked);
          return calls({ name: "complete_subtask", input: { status: "success", output: "guessed" } });
        },
      }),
      () => held.answer,
    );
    await pair.core.receive(userMessage("m-1", "go"));
    await held.asked;
    held.give("seven boats");
    await untilUnsolicited(pair.core);
    const ended = await subtask(pair.core, subtaskIds(pair.core)[0] ?? "");
    expect(ended.result?.output).toBe("the peer says seven boats");
    expect(JSON.stringify(pair.core.model.requests.items)).toContain("Not yet: another agent has not answered you");
  });
});

describe("given a subtask that has ended before its peer answered", () => {
  it("when the answer arrives, then the session reports it with its source and deletes the note (L1, L2, L3, L5)", async () => {
    const held = new Held();
    const core = await begin(held);
    await passCeiling(core);
    held.give("seven boats");
    await core.clock.passNext(2_000);
    const replies = await untilUnsolicited(core, 2);
    expect(replies.at(-1)).toMatchObject({
      markdown: "late: seven boats\n\n_From harbour._",
      origin: { promptSummary: "go" },
      cause: { trigger: "late", steps: [{ kind: "peer" }] },
    });
    await core.ask("last", "", { command: { name: "help", args: "" } });
    const notes = await memoryOf(core, await sessionOf(core)).list();
    expect(notes.filter(({ key }) => key.startsWith("notifications/a2a"))).toEqual([]);
  });

  it("when the answer arrives, then the turn's prompt names the agent and the subtask it was for (L3)", async () => {
    const held = new Held();
    const core = await begin(held);
    await passCeiling(core);
    held.give("seven boats");
    await core.clock.passNext(2_000);
    await untilUnsolicited(core, 2);
    const prompt = lastPrompt(core.model);
    expect(prompt).toContain("for each name the agent that sent it and the subtask it was for");
    expect(prompt).toContain(`A late result from the agent ${PEER} for your subtask "boats", which has ended:\n`);
  });

  it("when the answer arrives, then it is in the session's memory until its turn has run (L2)", async () => {
    const held = new Held();
    const core = await begin(held);
    await passCeiling(core);
    held.give("seven boats");
    const key = await lateNote(core);
    expect(key).toMatch(/^notifications\/a2a\/subtask-[0-9a-f]{8}\/call-[0-9a-f]{12}\/result$/);
    const memory = memoryOf(core, await sessionOf(core));
    expect(await memory.get(key)).toContain("seven boats");
    while (!(await memory.get("notifications/index"))?.includes(key)) await new Promise(setImmediate);
  });

  it("when a turn has read the note with the memory tool, then no further turn reports it (L5)", async () => {
    const held = new Held();
    const core = await begin(held);
    await passCeiling(core);
    held.give("seven boats");
    const key = await lateNote(core);
    core.model.follow(({ messages }) =>
      messages.at(-1)?.role === "tool" ? "I have read it" : calls({ name: "get_from_working_memory", input: { key } }),
    );
    await core.ask("m-2", "any news?");
    await core.clock.passNext(2_000);
    await core.ask("last", "", { command: { name: "help", args: "" } });
    expect(
      finals(core.replies.items)
        .map(({ markdown }) => markdown)
        .at(-1),
    ).toBe("I have read it");
  });

  it("when the note is missing, then one warning is logged and no turn runs (L4)", async () => {
    const held = new Held();
    const logger = new RecordingLogger();
    const core = await begin(held, { logger });
    await passCeiling(core);
    held.give("seven boats");
    const key = await lateNote(core);
    await memoryOf(core, await sessionOf(core)).delete(key);
    await core.clock.passNext(2_000);
    const isWarning = ({ message }: { message: string }) => message === "late answer has expired, left out";
    expect((await logger.lines.until((lines) => lines.some(isWarning))).filter(isWarning)).toHaveLength(1);
    await core.ask("last", "", { command: { name: "help", args: "" } });
    expect(await untilUnsolicited(core)).toHaveLength(1);
  });

  it("when it belongs to a schedule run, then the run's session reports it to the run's target (L7)", async () => {
    const held = new Held();
    const core = await begin(held, {}, backgroundTask("run-1", "brief me"));
    await core.clock.passNext(600_000);
    await untilUnsolicited(core);
    held.give("seven boats");
    await core.clock.passNext(2_000);
    const replies = await untilUnsolicited(core, 2);
    expect(replies.at(-1)).toMatchObject({
      sessionId: "run-of-run-1",
      markdown: "late: seven boats\n\n_From harbour._",
      origin: { channel: "scheduled", promptSummary: "Morning brief" },
    });
  });

  it.each(["late.saved", "late.listed", "late.assigned"])(
    "when the fold-back fails at %s, then the answer is reported exactly once (L2, L7)",
    async (at) => {
      let crashes = 0;
      const checkpoint = (name: string) => {
        if (name === at && ++crashes === 1) throw new Error("crashed");
      };
      const held = new Held();
      const core = await begin(held, { checkpoint });
      await passCeiling(core);
      held.give("seven boats");
      await untilUnsolicitedAsTimePasses(core, 2);
      expect(crashes).toBeGreaterThan(1);
      // Queued behind everything else of its conversation.
      await core.ask("last", "", { command: { name: "help", args: "" } });
      const late = unsolicited(core.replies.items).filter(({ markdown }) => markdown.startsWith("late:"));
      expect(late.map(({ markdown }) => markdown)).toEqual([expect.stringContaining("late: seven boats")]);
    },
  );

  it("when core restarts in between, then the answer is still reported (L7)", async () => {
    const held = new Held();
    const core = await begin(held);
    await passCeiling(core);
    const stopped = core.stopCore();
    core.clock.advance(10_000);
    await stopped;
    pair.peer.follow(() => "seven boats");
    const restarted = await core.startCore({
      tenants: { default: { a2aAsync: true } },
      agent: { peers: [PEER] },
      others: [{ name: PEER, tenant: "default", model: pair.peer, peers: [AGENT] }],
    });
    const replies = await untilUnsolicitedAsTimePasses(core, 2);
    expect(replies.at(-1)?.markdown).toContain("late: seven boats");
    await restarted.stop();
  });
});

describe("given a peer whose own subtask has ended before a third agent answered", () => {
  const asked = sends({ message: "can the ferry come in?", msg_type: "task_delegate" }, "on it");
  const addedIn = (text: string): string => /now adds:\n(.*)/.exec(text)?.[1] ?? answerIn(text);
  const reports = ({ text }: Asked) => (text.startsWith("[late") ? `late: ${addedIn(text)}` : "told");

  /** The peer has answered without the third agent's answer. */
  const answered = async (third: Held, primary: Script, options: PairOptions = {}) => {
    pair = await startPair(
      primary,
      roles({
        primary: () => "no person writes to it",
        subagent: sends({ agent: "lighthouse", message: "how deep?", msg_type: "task_delegate" }, "waiting"),
        continuation: (asked) => {
          if (asked.text.startsWith("[message")) return delegates(["soundings"], "asking around")(asked);
          return asked.text.startsWith("[late") ? `${answerIn(asked.text)} are enough` : "nobody knows";
        },
      }),
      {
        ...options,
        peerAgent: { peers: [AGENT, "lighthouse"] },
        others: [
          { name: "lighthouse", tenant: "default", model: new ScriptedModel(() => third.answer), peers: [PEER] },
        ],
      },
    );
    await pair.core.receive(userMessage("m-1", "go"));
    await third.asked;
    await pair.core.clock.passNext(600_000);
    return pair.core;
  };

  it("when that answer arrives, then the peer adds to its own answer, and the person sees the source (L1, L3)", async () => {
    const third = new Held();
    const core = await answered(third, roles({ primary: asked, continuation: reports }));
    await untilUnsolicited(core);
    third.give("nine metres");
    const replies = await untilUnsolicitedAsTimePasses(core, 2);
    expect(replies.at(-1)).toMatchObject({
      markdown: "late: nine metres are enough\n\n_From harbour._",
      origin: { promptSummary: "go" },
      cause: { trigger: "late", steps: [{ kind: "peer" }] },
    });
    expect(lastPrompt(core.model)).toContain("You asked harbour: can the ferry come in?");
    expect(lastPrompt(core.model)).toContain("_From lighthouse._");
  });

  it("when a subtask had asked the peer, then its session gets the answer and the addition (L1)", async () => {
    const third = new Held();
    const primary = roles({ primary: delegates(["ferry"], "on it"), subagent: asked, continuation: reports });
    const core = await answered(third, primary);
    await untilUnsolicitedAsTimePasses(core, 2);
    third.give("nine metres");
    core.clock.advance(31_000);
    const replies = await untilUnsolicitedAsTimePasses(core, 3);
    expect(replies.slice(1).map(({ markdown }) => markdown)).toEqual([
      "late: nobody knows\n\n_From harbour._",
      "late: nine metres are enough\n\n_From harbour._",
    ]);
  });

  it("when the peer crashes after its addition was reported, then the addition is not repeated (L7)", async () => {
    const third = new Held();
    const reported = new Gate();
    let published = Number.NaN;
    const checkpoint = async (name: string) => {
      // The first is the third agent's own turn, the second the peer's.
      if (name !== "reply.published" || ++published !== 2) return;
      await reported.opened;
      throw new Error("crashed");
    };
    const core = await answered(third, roles({ primary: asked, continuation: reports }), { checkpoint });
    await untilUnsolicited(core);
    await core.ask("settled", "", { command: { name: "help", args: "" } });
    published = 0;
    third.give("nine metres");
    const sessionId = await sessionOf(core);
    const address = { tenant: "default", agent: AGENT, sessionId };
    await untilUnsolicitedAsTimePasses(core, 2);
    await core.ask("last", "", { command: { name: "help", args: "" } });
    reported.release();
    await asTimePasses(core, counted(core, "turns_total harbour answered", 3));
    expect(await readLate(core.backbone.store, address)).toMatchObject({ items: [] });
    expect(await memoryOf(core, sessionId).list()).toEqual([]);
  });
});

describe("given two people of a room who ask the same question at the same time", () => {
  it("when both answers are late, then each is reported to its own audience (L5, D3)", async () => {
    const conversation = { channel: "web", room: "room-1", kind: "shared" } as const;
    const from = (name: string) => userMessage(`m-${name}`, "go", { conversation, account: { id: name, name } });
    const held = new Held();
    const core = await begin(held, {}, from("ann"));
    await core.receive(from("bob"));
    const { sessionId } = await core.replyTo("m-bob");
    await counted(core, "peer_calls_total mooring task_delegate", 2);
    await counted(core, "turns_total mooring answered", 2);
    core.clock.advance(CEILING_MS);
    await untilUnsolicited(core, 2);
    held.give("seven boats");
    const address = { tenant: "default", agent: AGENT, sessionId: sessionId ?? "" };
    while ((await readLate(core.backbone.store, address)).items.length < 2) await new Promise(setImmediate);
    await core.clock.passNext(2_000);
    await untilUnsolicited(core, 3);
    await core.clock.passNext(28_000, 30_000);
    const [, , ...late] = await untilUnsolicited(core, 4);
    expect(new Set(late.map(({ origin }) => JSON.stringify(origin))).size).toBe(1);
    expect(late.map(({ audience }) => audience.accountId).sort()).toEqual(["ann", "bob"]);
  });
});
