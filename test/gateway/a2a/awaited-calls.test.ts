import { TaskState } from "@a2a-js/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { RECORD_AFTER_MS } from "../../../core/a2a/inbound/inbound-call.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { countingBackbone } from "../../fakes/counting-backbone.ts";
import { says as answers } from "../../fakes/scripted-model.ts";
import { A2aUnderTest, asTask, says } from "./a2a-under-test.ts";

let server: A2aUnderTest;
afterEach(() => server.dispose());

const COMPLETED = TaskState.TASK_STATE_COMPLETED;
const CANCELED = TaskState.TASK_STATE_CANCELED;

/** Cancels a call that waits behind another call of its context, after the gateway has stored its task. */
const cancelledInQueue = async (agedBy: number): Promise<TaskState | undefined> => {
  let lateBy = 0;
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + lateBy,
    after: (ms, callback) => systemClock.after(ms === RECORD_AFTER_MS ? 0 : ms, callback),
  };
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = () => released.then(() => answers("First."));
  server = await A2aUnderTest.start([slow, "Second.", "Third."], { clock });
  const client = await server.client();
  const first = client.sendMessage(says("First?", { contextId: "c" }));
  await server.model.requests.count(1);
  const second = client.sendMessage(says("Second?", { contextId: "c" }));
  const unfinished = { tenant: "", contextId: "c", status: TaskState.TASK_STATE_SUBMITTED, pageToken: "" };
  const waiting = async (): Promise<string> => {
    const { tasks } = await client.listTasks({ ...unfinished, statusTimestampAfter: undefined });
    const task = tasks.find(({ history }) => JSON.stringify(history).includes("Second?"));
    return task?.id ?? waiting();
  };
  const id = await waiting();
  await client.cancelTask({ tenant: "", id, metadata: undefined });
  lateBy = agedBy;
  release();
  expect(asTask(await first).status?.state).toBe(COMPLETED);
  await second;
  expect(asTask(await client.sendMessage(says("Third?", { contextId: "c" }))).status?.state).toBe(COMPLETED);
  return (await client.getTask({ tenant: "", id })).status?.state;
};

/** Stands still, so that an answer is immediate even on a busy machine. */
const instant = (): Clock => {
  const now = systemClock.now();
  return { ...systemClock, now: () => now, after: (_, callback) => systemClock.after(ONE_DAY_MS, callback) };
};
const ONE_DAY_MS = 24 * 3_600_000;

describe("given a caller that waits for its answer (A8)", () => {
  it("when the answer is immediate, then its task is never read from the store", async () => {
    const looked: string[][] = [];
    const wrap = (backbone: Backbone): Backbone => {
      const counting = countingBackbone(backbone);
      looked.push(counting.reads);
      return counting;
    };
    server = await A2aUnderTest.start(["Nine metres.", "Eleven."], { wrap, clock: instant() });
    const client = await server.client();
    for (const text of ["How deep?", "And now?"]) {
      expect(asTask(await client.sendMessage(says(text))).status?.state).toBe(COMPLETED);
    }
    expect(looked.flat().filter((name) => name === "a2a-tasks")).toEqual([]);
  });

  it("when its call is cancelled after a long wait, then the model is never called", async () => {
    expect(await cancelledInQueue(RECORD_AFTER_MS)).toBe(CANCELED);
    expect(server.model.requests.items).toHaveLength(2);
  });

  it("when a core's clock is behind, then the model is called, and the task stays cancelled", async () => {
    expect(await cancelledInQueue(0)).toBe(CANCELED);
    expect(server.model.requests.items).toHaveLength(3);
  });
});
