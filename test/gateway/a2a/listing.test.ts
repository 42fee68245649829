import { TaskState } from "@a2a-js/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { A2aUnderTest, asTask, says } from "./a2a-under-test.ts";

const HOUR_MS = 3_600_000;
const anyTask = {
  tenant: "",
  contextId: "",
  status: TaskState.TASK_STATE_UNSPECIFIED,
  statusTimestampAfter: undefined,
  pageToken: "",
};

/** The number of reads of task records. */
let reads = 0;
let daysRead = 0;
const countingReads = (backbone: Backbone): Backbone => ({
  bus: backbone.bus,
  store: {
    get(key) {
      if (key.collection.name === "a2a-tasks") reads++;
      return backbone.store.get(key);
    },
    put: (key, value, options) => backbone.store.put(key, value, options),
    delete: (key, options) => backbone.store.delete(key, options),
    list(prefix) {
      if (prefix.collection.name === "a2a-task-index") daysRead++;
      return backbone.store.list(prefix);
    },
  },
  health: () => backbone.health(),
  writeProblem: () => backbone.writeProblem(),
  onHealthChange: (listener) => backbone.onHealthChange(listener),
  queues: () => backbone.queues(),
  close: () => backbone.close(),
});

const clock = new ManualClock(Date.UTC(2026, 2, 10, 20));
let server: A2aUnderTest;
/** Latest first. */
const ids: string[] = [];
const contexts: string[] = [];

beforeAll(async () => {
  server = await A2aUnderTest.start(
    ({ messages }) => {
      const last = messages.at(-1);
      const asks = last?.role === "user" && last.text === "task 0";
      return asks ? calls({ name: "ask_caller", input: { question: "Which?" } }) : "Done.";
    },
    { clock, wrap: countingReads },
  );
  const client = await server.client();
  for (let n = 0; n < 7; n++) {
    const { id, contextId } = asTask(await client.sendMessage(says(`task ${n}`)));
    ids.unshift(id);
    contexts.unshift(contextId);
    // Over three days.
    clock.advance(8 * HOUR_MS);
  }
});
afterAll(() => server.dispose());
beforeEach(() => {
  reads = 0;
  daysRead = 0;
});

const pagesOf = async (filter: Partial<typeof anyTask> = {}, pageSize = 3) => {
  const client = await server.client();
  const pages: { readonly ids: string[]; readonly totalSize: number }[] = [];
  let pageToken = "";
  do {
    const page = await client.listTasks({ ...anyTask, ...filter, pageSize, pageToken });
    pages.push({ ids: page.tasks.map(({ id }) => id), totalSize: page.totalSize });
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return pages;
};

describe("given a caller with tasks from several days", () => {
  it("when it reads page by page, then the latest come first, and only tasks on the pages are read (A8)", async () => {
    expect(await pagesOf()).toEqual([
      { ids: ids.slice(0, 3), totalSize: 7 },
      { ids: ids.slice(3, 6), totalSize: 7 },
      { ids: ids.slice(6), totalSize: 7 },
    ]);
    expect(reads).toBe(7);
  });

  it("when it filters, then only matching tasks are read", async () => {
    expect(await pagesOf({ contextId: contexts[2] ?? "" })).toEqual([{ ids: [ids[2]], totalSize: 1 }]);
    expect(await pagesOf({ status: TaskState.TASK_STATE_INPUT_REQUIRED })).toEqual([{ ids: [ids[6]], totalSize: 1 }]);
    expect(reads).toBe(2);
  });

  it("when it asks for changes since a time, then that time is included", async () => {
    const client = await server.client();
    const { status } = await client.getTask({ tenant: "", id: ids[1] ?? "" });
    const [page] = await pagesOf({ statusTimestampAfter: status?.timestamp } as Partial<typeof anyTask>);
    expect(page?.ids).toEqual(ids.slice(0, 2));
  });

  it("when it asks for changes since a time, then no earlier day is read", async () => {
    const client = await server.client();
    const statusTimestampAfter = new Date(clock.now() - 8 * HOUR_MS).toISOString();
    const { totalSize } = await client.listTasks({ ...anyTask, statusTimestampAfter, pageToken: "" });
    // The day before.
    expect([totalSize, daysRead]).toEqual([1, 2]);
  });

  it("when an old task continues, then it comes first, and only once", async () => {
    const client = await server.client();
    await client.sendMessage(says("that one", { taskId: ids[6] ?? "", contextId: contexts[6] ?? "" }));
    const found = (await pagesOf()).flatMap((page) => page.ids);
    expect(found).toEqual([ids[6], ...ids.slice(0, 6)]);
  });
});
