import { expect, it } from "vitest";
import type { InboundTask } from "../../../../core/a2a/inbound/inbound-task.ts";
import { TaskWatcher } from "../../../../gateway/a2a/tasks/task-watch.ts";
import { taskEvents } from "../../../../gateway/a2a/tasks/to-wire.ts";

const submitted: InboundTask = {
  tenant: "default",
  agent: "demo",
  caller: "harbour",
  id: "task-1",
  contextId: "context-1",
  state: "submitted",
  statusAt: "2026-01-05T08:00:00.000Z",
  createdAt: "2026-01-05T08:00:00.000Z",
  said: [],
  webhooks: [],
  ended: [],
  changes: 1,
};

it("when an answer is streamed in many pieces, then the task is read once, after its change (A8)", async () => {
  const watcher = new TaskWatcher(() => undefined);
  let reads = 0;
  const read = async (): Promise<InboundTask> => {
    reads += 1;
    return { ...submitted, state: "completed", answer: "all of it", changes: 2 };
  };
  const events = taskEvents(submitted, watcher, { read });
  const first = await events.next();
  const pieces: unknown[] = [];
  for (let offset = 0; offset < 100; offset++) {
    watcher.add({ attempt: 0, offset, text: "." });
    pieces.push((await events.next()).value);
  }
  expect(reads).toBe(0);
  watcher.notify();
  const last: unknown[] = [];
  for await (const event of events) last.push(event);

  expect(first.value).toMatchObject({ payload: { $case: "task" } });
  expect(pieces).toHaveLength(100);
  expect(last).toMatchObject([{ payload: { $case: "artifactUpdate" } }, { payload: { $case: "statusUpdate" } }]);
  expect(reads).toBe(1);
});
