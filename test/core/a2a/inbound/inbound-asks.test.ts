import { afterEach, describe, expect, it } from "vitest";
import { inboundMessage } from "../../../../core/a2a/inbound/inbound-call.ts";
import type { InboundTask } from "../../../../core/a2a/inbound/inbound-task.ts";
import { taskKey } from "../../../../core/a2a/inbound/inbound-task.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import { delegates, Held, roles } from "../../subtasks/delegating.ts";
import { asks, type Pair, startPair } from "../peers-under-test.ts";
import { inboundCall as call } from "./inbound-call-sample.ts";

let pair: Pair;
afterEach(() => pair.core.dispose());

const untilTask = async (isIt: (task: InboundTask) => boolean): Promise<InboundTask> => {
  for (;;) {
    const task = (await pair.core.backbone.store.get(taskKey(call)))?.value;
    if (task !== undefined && isIt(task)) return task;
    await new Promise(setImmediate);
  }
};

describe("given a task of a calling agent that needs a peer", () => {
  it("when the work is delegated, then the task is working until the peer has answered, and no reply is posted to people", async () => {
    const held = new Held();
    pair = await startPair(asks({ message: "count the boats", msg_type: "task_delegate" }), () => held.answer);
    await pair.core.receive(inboundMessage(call));
    await held.asked;
    expect(await untilTask(({ ended }) => ended.length === 1)).toMatchObject({ state: "working", note: "on it" });
    held.give("seven boats");
    expect(await untilTask(({ state }) => state === "completed")).toMatchObject({ answer: "told: seven boats" });
    expect(pair.core.replies.items.filter(({ kind }) => kind === "final")).toEqual([]);
  });

  it("when the peer is consulted, then the task's answer contains the peer's", async () => {
    pair = await startPair(
      asks({ message: "count the boats", msg_type: "consult" }, ([output]) => `so: ${output?.split("\n").at(-1)}`),
      () => "seven boats",
    );
    await pair.core.receive(inboundMessage(call));
    expect(await untilTask(({ state }) => state === "completed")).toMatchObject({ answer: "so: seven boats" });
  });
});

describe("given a task of a calling agent whose subtask hangs even when it is stopped", () => {
  it("when the ceiling is reached, then the task ends with the results so far (B3)", async () => {
    const stuck = new Gate();
    pair = await startPair(
      roles({
        primary: delegates(["boats"], "on it"),
        continuation: ({ text }) => `so: ${text.split("\n").at(-1)}`,
      }),
      () => "never asked",
      {
        checkpoint: async (name) => {
          if (name === "subtask.claimed") await stuck.opened;
        },
      },
    );
    await pair.core.receive(inboundMessage(call));
    await pair.core.clock.passNext(600_000);
    await pair.core.clock.passNext(5_000);
    const task = await untilTask(({ ended }) => ended.length === 2);
    stuck.release();
    expect(task).toMatchObject({ state: "completed", answer: "so: It was not done in time." });
  });
});
