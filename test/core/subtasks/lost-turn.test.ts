import { afterEach, describe, expect, it } from "vitest";
import { ack } from "../../../core/contract/bus.ts";
import { noCheckpoint } from "../../../core/contract/checkpoint.ts";
import { silentLogger } from "../../../core/contract/logger.ts";
import { subjectsOf } from "../../../core/contract/subjects.ts";
import type { UserMessage } from "../../../core/contract/user-message.ts";
import { SessionHistory } from "../../../core/sessions/session-history.ts";
import { ActivityPublisher } from "../../../core/subtasks/activity-publisher.ts";
import { defaultDelegation } from "../../../core/subtasks/config.ts";
import { OwnerRecords } from "../../../core/subtasks/owner-records.ts";
import { startDelegation } from "../../../core/subtasks/start-delegation.ts";
import { SubtaskEvents } from "../../../core/subtasks/subtask-events.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { AGENT, type CoreUnderTest, userMessage } from "../core-under-test.ts";
import type { Asked } from "./delegating.ts";
import { backgroundTask, counted, delegates, Held, roles, spawns, startDelegating, untilFinals } from "./delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

describe("given a turn that delegated and cannot be brought to its end", () => {
  it("when its message is given up, then its words go out, and the results are answered all the same (B3)", async () => {
    let broken = 0;
    core = await startDelegating(roles({ primary: delegates(["a"], "on it"), continuation: () => "the answer" }), {
      checkpoint: (name) => {
        if (name === "reply.before" && ++broken <= 5) throw new Error("as if something were broken");
      },
    });
    await core.receive(userMessage("m-1", "go"));
    for (const pauseMs of [2, 4, 8, 16]) await core.clock.passNext(pauseMs);
    expect(await core.replyTo("m-1")).toMatchObject({ kind: "final", markdown: "on it" });
    expect((await untilFinals(core, 2))[1]).toMatchObject({ markdown: "the answer" });
  });

  it("when it is a schedule's, then what was left out stays left out, and only the answer comes (B6)", async () => {
    let broken = 0;
    core = await startDelegating(
      roles({ primary: delegates(["a"], "not for people"), continuation: () => "the answer" }),
      {
        checkpoint: (name) => {
          if (name === "reply.before" && ++broken <= 5) throw new Error("as if something were broken");
        },
      },
    );
    await core.receive(backgroundTask("run-1", "go"));
    for (const pauseMs of [2, 4, 8, 16]) await core.clock.passNext(pauseMs);
    expect((await untilFinals(core, 1)).map(({ markdown }) => markdown)).toEqual(["the answer"]);
  });

  it("when nobody runs it any more, then the timer seals its batch in the end (B5)", async () => {
    const turnDeadlineMs = 400_000;
    const dead = new Held();
    const primary = ({ outputs }: Asked) => (outputs.length === 0 ? spawns(["a"]) : dead.answer);
    core = await startDelegating(roles({ primary }), { turnDeadlineMs });
    await core.receive(userMessage("m-1", "go"));
    await dead.asked;
    await counted(core, "subtasks_total mooring completed", 1);
    const stopped = core.stopCore();
    core.clock.advance(10_000);
    await stopped;

    // What takes messages is gone; what looks after batches is not.
    const { bus, store } = core.backbone;
    const parts = { bus, store, clock: core.clock, logger: silentLogger, meter: core.meter, checkpoint: noCheckpoint };
    const consumers = await startDelegation(
      {
        ...parts,
        events: new SubtaskEvents(),
        activity: new ActivityPublisher(parts),
        owners: new OwnerRecords(store, core.clock),
        history: new SessionHistory(store),
        stopping: new AbortController().signal,
        turnDeadlineMs,
      },
      {
        name: AGENT,
        tenant: "default",
        model: core.model,
        maxToolRounds: 8,
        contextTokens: 1_000,
        tools: [],
        delegation: defaultDelegation,
      },
    );
    const woken = new Recorder<UserMessage>();
    const subject = subjectsOf("default").userMessage(AGENT);
    await bus.consume(subject, { durable: "test-woken", concurrency: 1, from: "now" }, async (message) => {
      woken.add(message);
      return ack;
    });
    core.clock.advance(2 * turnDeadlineMs);
    const [message] = await woken.count(1);
    expect(message?.synthetic).toMatchObject({
      type: "synthesis",
      data: { subtasks: [{ name: "a", timedOut: false }] },
    });
    await Promise.all(consumers.map((consumer) => consumer.close()));
  });
});
