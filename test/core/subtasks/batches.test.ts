import { afterEach, describe, expect, it } from "vitest";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { WorkingMemory } from "../../../core/memory/working-memory.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import { readOwner } from "../../../core/subtasks/owner/owner-record.ts";
import { MAX_PARKED_MS } from "../../../core/subtasks/owner/parked-jobs.ts";
import { defaultDelegation } from "../../../core/turns/limits/agent-limits.ts";
import { Gate } from "../../fakes/model-answer.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { type Answer, calls } from "../../fakes/scripted-model.ts";
import { AGENT, type CoreUnderTest, userMessage } from "../core-under-test.ts";
import type { Asked } from "./delegating.ts";
import {
  backgroundTask,
  completions,
  counted,
  delegates,
  finals,
  Held,
  lastAsked,
  repeatEnd,
  roles,
  spawns,
  startDelegating,
  subtask,
  subtaskIds,
  taskOf,
  untilFinals,
} from "./delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const CEILING_MS = 300_000;
const GRACE_MS = 5_000;
const SLACK_MS = 120_000;
const named = (text: string) =>
  [...text.matchAll(/^### (\w+) \(subtask-\w+\): (.+)$/gm)].map(([, a, b]) => `${a} ${b}`);
/** Answers with the names and outcomes of the results in its prompt. */
const lists = ({ text }: Asked) => `${text.slice(1, 5)}: ${named(text).join(", ")}`;

describe("given a turn that delegates three subtasks", () => {
  it("when all have ended, then one announcement and one answer from all results are published (B1, B2, O2)", async () => {
    core = await startDelegating(roles({ primary: delegates(["a", "b", "c"], "I am on it"), continuation: lists }));
    await core.receive(userMessage("m-1", "research a, b and c"));
    const [announcement, answer] = await untilFinals(core, 2);
    expect(announcement).toMatchObject({ markdown: "I am on it", correlationId: "m-1" });
    expect(answer).toMatchObject({
      markdown: "resu: a completed, b completed, c completed",
      origin: announcement?.origin,
      audience: announcement?.audience,
      sessionId: announcement?.sessionId,
      traceId: "trace-m-1",
    });
    expect(answer).not.toHaveProperty("correlationId");
  });

  it("when all end before the turn, then the batch fires only when the turn ends (B2)", async () => {
    const slow = new Held();
    const primary = ({ outputs }: Asked) => (outputs.length === 0 ? spawns(["a", "b"]) : slow.answer);
    const reached = new Recorder<string>();
    core = await startDelegating(roles({ primary, continuation: lists }), { checkpoint: (name) => reached.add(name) });
    await core.receive(userMessage("m-1", "go"));
    await slow.asked;
    await reached.until((names) => names.filter((name) => name === "end.received").length === 2);
    expect(finals(core.replies.items)).toHaveLength(0);
    slow.give("I am on it");
    const [announcement, answer] = await untilFinals(core, 2);
    expect([announcement?.markdown, answer?.markdown]).toEqual(["I am on it", "resu: a completed, b completed"]);
    expect(reached.items.filter((name) => name.startsWith("batch."))).toEqual(["batch.sealed", "batch.fired"]);
  });

  it("when the turn continues for long after a subtask has ended, then the end is counted before the turn ends", async () => {
    const [slow, other] = [new Held(), new Held()];
    const primary = ({ outputs }: Asked) => (outputs.length === 0 ? spawns(["a", "b"]) : slow.answer);
    const subagent = (asked: Asked) => (taskOf(asked) === "a" ? "result of a" : other.answer);
    const reached = new Recorder<string>();
    const options = { checkpoint: (name: string) => reached.add(name) };
    core = await startDelegating(roles({ primary, subagent, continuation: lists }), options);
    await core.receive(userMessage("m-1", "go"));
    await core.clock.passNext(MAX_PARKED_MS);
    await reached.until((names) => names.includes("end.counted"));
    other.give("result of b");
    slow.give("I am on it");
    await untilFinals(core, 2);
  });

  it("when some end before the turn, then their slots are free for further subtasks (S9)", async () => {
    const reached = new Recorder<string>();
    const ended = reached.until((names) => names.filter((name) => name === "end.received").length === 2);
    const primary = ({ outputs }: Asked) => {
      if (outputs.length === 0) return spawns(["a", "b"]);
      return outputs.length === 1 ? () => ended.then(() => spawns(["c", "d"])) : (outputs[1] ?? "");
    };
    core = await startDelegating(roles({ primary, continuation: lists }), {
      checkpoint: (name) => reached.add(name),
      agent: { delegation: { ...defaultDelegation, running: 2 } },
    });
    await core.receive(userMessage("m-1", "go"));
    const [announcement, answer] = await untilFinals(core, 2);
    expect(announcement?.markdown).toMatch(/^Accepted(?!.*Refused)/s);
    expect(answer?.markdown).toBe("resu: a completed, b completed, c completed, d completed");
  });

  it("when one fails and one completes, then the answer lists both (B2, S7)", async () => {
    const subagent = (asked: Asked) =>
      taskOf(asked) === "a" ? new ModelFailed("credentials", "no key") : "result of b";
    core = await startDelegating(roles({ primary: delegates(["a", "b"], "on it"), subagent, continuation: lists }));
    await core.receive(userMessage("m-1", "go"));
    expect((await untilFinals(core, 2))[1]?.markdown).toBe("resu: a failed, b completed");
  });

  it("when the answer is published, then the history of the session contains it (O15)", async () => {
    core = await startDelegating(roles({ primary: (asked) => later(asked), continuation: () => "both are fine" }));
    const later = (asked: Asked) =>
      asked.text === "go" ? delegates(["a", "b"], "on it")(asked) : `${asked.request.messages.length}`;
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    await core.ask("m-2", "and now?");
    const said = core.model.requests.items.at(-1)?.messages.flatMap((m) => (m.role === "assistant" ? m.text : []));
    expect(said).toEqual(["", "on it", "both are fine"]);
  });
});

describe("given a conversation that has started a new session before the answer is published", () => {
  it("when the answer is shown there, then both sessions contain it, and its origin is the old session (O2, O15)", async () => {
    const slow = new Held();
    const primary = (asked: Asked) => (asked.text === "go" ? delegates(["a"], "on it")(asked) : "fine");
    core = await startDelegating(roles({ primary, subagent: () => slow.answer, continuation: () => "the answer" }));
    const { sessionId } = await core.ask("m-1", "go");
    await core.ask("m-2", "", { command: { name: "new", args: "" } });
    slow.give("done");
    const answer = (await untilFinals(core, 2))[1];
    expect(answer).toMatchObject({ sessionId, origin: { sessionId, promptSummary: "go" } });
    await core.ask("m-3", "and?");
    expect(core.model.requests.items.at(-1)?.messages.map(({ text }) => text)).toEqual([
      '[shown here later about "go"]\nthe answer',
      "and?",
    ]);
  });
});

describe("given a room in which two people have delegated work", () => {
  it("when both are answered, then each answer has the origin and the audience of its request (O2, D3)", async () => {
    const work = new Held();
    const primary = (asked: Asked) => delegates([asked.text.split(" ").at(-1) ?? ""], "on it")(asked);
    core = await startDelegating(roles({ primary, subagent: () => work.answer, continuation: lists }));
    const room = { conversation: { channel: "web", room: "lobby", kind: "shared" as const } };
    const { sessionId } = await core.ask("m-1", "look into tides", room);
    await core.ask("m-2", "look into knots", { ...room, account: { id: "bob", name: "Bob" } });
    work.give("done");
    const answers = (await untilFinals(core, 4)).slice(2);
    const seen = answers.map(({ markdown, origin, audience }) => [markdown, origin?.promptSummary, audience.accountId]);
    expect(seen.sort()).toEqual([
      ["resu: knots completed", "look into knots", "bob"],
      ["resu: tides completed", "look into tides", "ann"],
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ sessionId, audience: room });
  });
});

describe("given a subtask that takes longer than the ceiling", () => {
  const stuck = new Map<string, Held>();
  const held = (asked: Asked) => {
    const one = stuck.get(taskOf(asked)) ?? new Held();
    stuck.set(taskOf(asked), one);
    return one.answer;
  };
  const start = async (continuation = lists) => {
    stuck.clear();
    core = await startDelegating(
      roles({
        primary: delegates(["quick", "slow"], "on it"),
        subagent: (asked) => (taskOf(asked) === "quick" ? "done" : held(asked)),
        continuation,
      }),
    );
    await core.receive(userMessage("m-1", "go"));
    await counted(core, "turns_total mooring answered", 1);
  };

  it("when the ceiling is reached, then it is stopped and listed as timed out (B3)", async () => {
    await start();
    await core.clock.passNext(CEILING_MS);
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toBe("resu: quick completed, slow timed out");
    expect(core.meter.counts).toMatchObject({ "subtasks_total mooring cancelled": 1 });
  });

  it("when the ceiling is not reached, then the batch does not fire", async () => {
    await start();
    await core.clock.waits.until((waits) => waits.includes(CEILING_MS));
    core.clock.advance(CEILING_MS - 1);
    await core.ask("m-2", "help", { command: { name: "help", args: "" } });
    expect(finals(core.replies.items)).toHaveLength(1);
    expect(core.meter.counts).not.toHaveProperty("batches_total mooring ceiling");
  });

  it("when the turn itself takes long, then the ceiling counts from the end of the turn (B2)", async () => {
    const turn = new Held();
    const primary = ({ outputs }: Asked) => (outputs.length === 0 ? spawns(["slow"]) : turn.answer);
    core = await startDelegating(roles({ primary, subagent: () => new Held().answer, continuation: lists }));
    await core.receive(userMessage("m-1", "go"));
    await turn.asked;
    core.clock.advance(200_000);
    turn.give("on it");
    await counted(core, "turns_total mooring answered", 1);
    expect(await core.clock.passNextOf((ms) => ms > 90_000 && ms <= CEILING_MS)).toBe(CEILING_MS);
    expect((await untilFinals(core, 2))[1]?.markdown).toBe("resu: slow timed out");
  });

  it("when it is background work, then the longer ceiling applies (B2)", async () => {
    core = await startDelegating(
      roles({ primary: delegates(["slow"], "on it"), subagent: () => new Held().answer, continuation: lists }),
    );
    await core.receive(backgroundTask("run-1", "go"));
    await counted(core, "turns_total mooring answered", 1);
    await core.clock.passNext(2 * CEILING_MS);
    expect((await untilFinals(core, 1))[0]?.markdown).toBe("resu: slow timed out");
  });
});

describe("given a batch that fires at the ceiling with one open member", () => {
  /** The subagent "slow" answers only when the test releases it. */
  const lateSibling = async () => {
    const slow = new Held();
    core = await startDelegating(
      roles({
        primary: delegates(["quick", "slow"], "on it"),
        subagent: (asked) => (taskOf(asked) === "quick" ? "done" : slow.answer),
        continuation: lists,
      }),
      { checkpoint: (name) => atCheckpoint(name) },
    );
    return slow;
  };
  let atCheckpoint: (name: string) => Promise<void> = async () => {};

  it("when its result arrives one second after the batch fired, then a follow-up reports it and no second synthesis runs (B4)", async () => {
    const slow = await lateSibling();
    let releaseEnd: () => void = () => {};
    let ends = 0;
    // Delays the second end until one second after the batch has fired.
    const endDelayed = new Promise<void>((resolve) => {
      releaseEnd = resolve;
    });
    atCheckpoint = async (name) => {
      if (name === "end.received" && ++ends === 2) await endDelayed;
    };
    await core.receive(userMessage("m-1", "go"));
    await counted(core, "turns_total mooring answered", 1);
    await slow.asked;
    slow.give("late but good");
    await core.clock.passNext(CEILING_MS);
    await core.clock.passNext(GRACE_MS);
    await untilFinals(core, 2);
    core.clock.advance(1_000);
    releaseEnd();
    const [, answer, amendment] = await untilFinals(core, 3);
    await core.replies.until((replies) => completions(replies).length === 1);
    expect(answer?.markdown).toBe("resu: quick completed, slow timed out");
    expect(amendment).toMatchObject({
      markdown: "late: slow completed",
      origin: answer?.origin,
      audience: answer?.audience,
    });
    expect(amendment).not.toHaveProperty("correlationId");
    expect(core.meter.counts).toMatchObject({
      "batches_total mooring ceiling": 1,
      "continuations_total mooring synthesis answered": 1,
    });
    const memory = new WorkingMemory(core.backbone.store, core.clock, answer?.sessionId ?? "");
    const index = await memory.get("notifications/index");
    expect(index).toMatch(/^- notifications\/subtasks\/subtask-[0-9a-f]{8}$/);
    expect(await memory.get(index?.slice(2) ?? "")).toContain("late but good");
  });

  it("when its timer is redelivered within the grace, as after a crash, then a member that ends within the grace is in the answer (B3)", async () => {
    const slow = await lateSibling();
    const endDelayed = new Gate();
    let ends = 0;
    atCheckpoint = async (name) => {
      if (name === "end.received" && ++ends === 2) await endDelayed.opened;
    };
    const { sessionId } = await core.ask("m-1", "go");
    await slow.asked;
    slow.give("just in time");
    await core.clock.passNext(CEILING_MS);
    const heldForGrace = (times: number) =>
      core.clock.waits.until((waits) => waits.filter((ms) => ms === GRACE_MS).length === times);
    await heldForGrace(1);
    const owner = { tenant: "default", agent: AGENT, ownerId: sessionId ?? "" };
    const [turnId = ""] = Object.keys((await readOwner(core.backbone.store, owner)).batches);
    const again = { id: "the timer again", key: "the timer again" };
    await core.backbone.bus.publish(subjectsOf("default").batchTimer(AGENT), { ...owner, turnId }, again);
    await Promise.race([heldForGrace(2), untilFinals(core, 2)]);
    endDelayed.release();
    expect((await untilFinals(core, 2))[1]?.markdown).toBe("resu: quick completed, slow completed");
  });

  it("when the member was cancelled and only its end message is late, then no follow-up is published (B3, B4)", async () => {
    await lateSibling();
    let letGo = () => {};
    const held = new Promise<void>((go) => {
      letGo = go;
    });
    let ends = 0;
    atCheckpoint = async (name) => {
      if (name === "end.received" && ++ends === 2) await held;
    };
    await core.receive(userMessage("m-1", "go"));
    await counted(core, "turns_total mooring answered", 1);
    await core.clock.passNext(CEILING_MS);
    await counted(core, "subtasks_total mooring cancelled", 1);
    await core.clock.passNext(GRACE_MS);
    expect((await untilFinals(core, 2))[1]?.markdown).toBe("resu: quick completed, slow timed out");
    letGo();
    await core.replies.until((replies) => completions(replies).length === 1);
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(finals(core.replies.items)).toHaveLength(2);
  });

  /** Two completed subtasks whose ends are delayed until after the batch has fired; the result releases one by name. */
  const lateSiblings = async (primary: (asked: Asked) => Answer, atFire: () => void = () => {}) => {
    const letGo = new Map<string, () => void>();
    const held = new Map(["a", "b"].map((name) => [name, new Promise<void>((go) => letGo.set(name, go))]));
    core = await startDelegating(roles({ primary, continuation: lists }), {
      checkpoint: async (name, id = "") => {
        if (name === "batch.fired") atFire();
        if (name === "end.received") await held.get((await subtask(core, id)).name);
      },
    });
    await core.receive(userMessage("m-1", "go"));
    await counted(core, "turns_total mooring answered", 1);
    await counted(core, "subtasks_total mooring completed", 2);
    await core.clock.passNext(CEILING_MS);
    await core.clock.passNext(GRACE_MS);
    return (name: string) => letGo.get(name)?.();
  };
  const texts = (replies: readonly { markdown: string }[]) => replies.map(({ markdown }) => markdown);

  it("when await_subtasks returns a late result before the follow-up, then the follow-up has only the other one (B2, B4)", async () => {
    const letGo = await lateSiblings((asked) => {
      if (asked.text === "go") return delegates(["a", "b"], "on it")(asked);
      const [first] = subtaskIds(core);
      return asked.outputs.length === 0 ? calls({ name: "await_subtasks", input: { ids: [first] } }) : "I have it";
    });
    await untilFinals(core, 2);
    letGo("a");
    await core.ask("m-2", "and a?");
    await core.clock.passNextOf((ms) => ms > GRACE_MS && ms < SLACK_MS);
    letGo("b");
    expect(texts(await untilFinals(core, 4))).toEqual([
      "on it",
      "resu: a timed out, b timed out",
      "I have it",
      "late: b completed",
    ]);
  });

  it("when the process that fired it crashes before it enqueues the synthesis, then the follow-up still comes after the answer (B4)", async () => {
    const fired = new Recorder<string>();
    const letGo = await lateSiblings(delegates(["a", "b"], "on it"), () => {
      fired.add("");
      if (fired.items.length === 1) throw new Error("simulated crash");
    });
    await fired.count(1);
    letGo("a");
    letGo("b");
    const [, answer, amendment] = texts(await untilFinals(core, 3));
    expect(answer).toBe("resu: a timed out, b timed out");
    expect(amendment).toMatch(/^late: (a completed, b completed|b completed, a completed)$/);
  });

  it("when the ends are redelivered during a slow synthesis, then no second synthesis runs (B5)", async () => {
    const slowAnswer = new Held();
    core = await startDelegating(
      roles({ primary: delegates(["a", "b", "c"], "on it"), continuation: () => slowAnswer.answer }),
    );
    await core.receive(userMessage("m-1", "go"));
    await slowAnswer.asked;
    // 44 seconds later the bus redelivers every end, as after lost acknowledgements.
    core.clock.advance(44_000);
    const ids = [...new Set(lastAsked(core).match(/subtask-[0-9a-f]{8}/g))];
    expect(ids).toHaveLength(3);
    for (const id of ids) await repeatEnd(core, id);
    slowAnswer.give("the one answer");
    await untilFinals(core, 2);
    await core.ask("m-2", "go");
    await untilFinals(core, 4);
    expect(finals(core.replies.items).filter(({ markdown }) => markdown === "the one answer")).toHaveLength(2);
    expect(core.meter.counts["batches_total mooring complete"]).toBe(2);
  });
});

describe("given a synthesis without a text of the model", () => {
  it("when the model fails, then the reply lists the results as they are (B3)", async () => {
    core = await startDelegating(
      roles({
        primary: delegates(["a", "b"], "on it"),
        subagent: ({ text }) => `found ${text}`,
        continuation: () => new ModelFailed("credentials", "no key"),
      }),
    );
    await core.receive(userMessage("m-1", "go"));
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toContain("found do a");
    expect(answer?.markdown).toContain("found do b");
    await counted(core, "continuations_total mooring synthesis degraded", 1);
  });

  it("when the model calls nothing_to_say, then the call fails and the model must answer (B3, B7)", async () => {
    core = await startDelegating(
      roles({
        primary: delegates(["a"], "on it"),
        continuation: ({ outputs }) => (outputs.length === 0 ? calls({ name: "nothing_to_say" }) : "all right then"),
      }),
    );
    await core.receive(userMessage("m-1", "go"));
    expect((await untilFinals(core, 2))[1]?.markdown).toBe("all right then");
  });
});
