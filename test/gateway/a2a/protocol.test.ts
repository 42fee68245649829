import { type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { says as answers, calls } from "../../fakes/scripted-model.ts";
import { A2aUnderTest, answerOf, asTask, type Binding, says, statusText, textPart } from "./a2a-under-test.ts";

let server: A2aUnderTest;
afterEach(() => server.dispose());

/** A model that answers when the test releases it. */
const held = (text: string) => {
  let release = () => {};
  let begun = () => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const script = [
    async ({ signal, onText }: { signal: AbortSignal; onText: (text: string) => void }) => {
      onText(text.slice(0, 4));
      begun();
      await Promise.race([
        gate,
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      ]);
      return answers(text);
    },
  ];
  return { script, isBegun, release: () => release() };
};

const idOf = (event: StreamResponse | undefined): string =>
  event?.payload?.$case === "task" ? event.payload.value.id : "";

const until = async (read: () => Promise<Task>, state: TaskState): Promise<Task> => {
  for (;;) {
    const task = await read();
    if (task.status?.state === state) return task;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

describe.each<Binding>(["JSONRPC", "HTTP+JSON"])("given the SDK's own client over %s (A8)", (binding) => {
  it("when it reads the cards, then the extended card has the skills that the caller may use", async () => {
    server = await A2aUnderTest.start();
    const card = await (await server.client(binding)).getAgentCard();
    expect(card).toMatchObject({ name: "mooring", capabilities: { streaming: true, pushNotifications: true } });
    expect(card.skills.map(({ id }) => id)).toEqual(["facts", "news"]);
    const restricted = await (await server.client(binding, "carol")).getAgentCard();
    expect(restricted.skills.map(({ id }) => id)).toEqual(["facts"]);
  });

  it("when it asks and waits, then it gets the task with its answer", async () => {
    server = await A2aUnderTest.start(["Nine metres."]);
    const client = await server.client(binding);
    const task = asTask(await client.sendMessage(says("How deep is the harbour?")));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answerOf(task)).toBe("Nine metres.");
    expect(task.history.map(({ parts }) => parts[0]?.content)).toEqual([textPart("How deep is the harbour?").content]);
    const [request] = server.model.requests.items;
    expect(request?.messages.at(-1)).toMatchObject({ role: "user", text: "How deep is the harbour?" });
    expect(request?.system).toContain('another agent, "alice"');
    expect(request?.tools.map(({ name }) => name)).not.toContain("schedule_task");
  });

  it("when it streams, then it gets the task, pieces of the answer, the whole answer and the final status", async () => {
    const { script, isBegun, release } = held("Nine metres.");
    server = await A2aUnderTest.start(script);
    const client = await server.client(binding);
    const events: StreamResponse[] = [];
    for await (const event of client.sendMessageStream(says("How deep?"))) {
      events.push(event);
      await isBegun;
      if (event.payload?.$case === "artifactUpdate" && !event.payload.value.lastChunk) release();
    }
    const [first, ...rest] = events.map(({ payload }) => payload);
    expect(first?.$case).toBe("task");
    const pieces = rest.flatMap((payload) => (payload?.$case === "artifactUpdate" ? [payload.value] : []));
    expect(
      pieces.map(({ artifact, lastChunk }) => [artifact && answerOf({ artifacts: [artifact] }), lastChunk]),
    ).toEqual([
      ["Nine", false],
      ["Nine metres.", true],
    ]);
    expect(rest.at(-1)).toMatchObject({
      $case: "statusUpdate",
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    });
  });

  it("when it does not wait, then it can poll the task until it is done", async () => {
    const { script, release } = held("Nine metres.");
    server = await A2aUnderTest.start(script);
    const client = await server.client(binding);
    const task = asTask(await client.sendMessage(says("How deep?", {}, { returnImmediately: true })));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    const read = () => client.getTask({ tenant: "", id: task.id });
    await until(read, TaskState.TASK_STATE_WORKING);
    release();
    expect(answerOf(await until(read, TaskState.TASK_STATE_COMPLETED))).toBe("Nine metres.");
  });

  it("when the agent asks back, then the task waits for input and continues with it", async () => {
    server = await A2aUnderTest.start([
      calls({ name: "ask_caller", input: { question: "Which harbour?" } }),
      "Bergen: eleven metres.",
    ]);
    const client = await server.client(binding);
    const asked = asTask(await client.sendMessage(says("How deep?")));
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(statusText(asked)).toBe("Which harbour?");
    const { id: taskId, contextId } = asked;
    const done = asTask(await client.sendMessage(says("Bergen", { taskId, contextId })));
    expect(done).toMatchObject({ id: taskId, contextId, status: { state: TaskState.TASK_STATE_COMPLETED } });
    expect(answerOf(done)).toBe("Bergen: eleven metres.");
    expect(done.history).toHaveLength(3);
    await expect(client.sendMessage(says("And Oslo?", { taskId, contextId }))).rejects.toThrow("has ended");
  });

  it("when it cancels, then the model is stopped and the task stays cancelled", async () => {
    const { script, isBegun } = held("never said");
    server = await A2aUnderTest.start([...script, "Something else."]);
    const client = await server.client(binding);
    const { id, contextId } = asTask(await client.sendMessage(says("How deep?", {}, { returnImmediately: true })));
    await isBegun;
    const cancelled = await client.cancelTask({ tenant: "", id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    // In the same session, which the cancelled turn must have released.
    expect(answerOf(asTask(await client.sendMessage(says("Something else?", { contextId }))))).toBe("Something else.");
    expect((await client.getTask({ tenant: "", id })).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  });

  it("when it cancels a task that has ended, then it gets an error", async () => {
    server = await A2aUnderTest.start(["Done."]);
    const client = await server.client(binding);
    const { id } = asTask(await client.sendMessage(says("Do it")));
    await expect(client.cancelTask({ tenant: "", id, metadata: undefined })).rejects.toThrow("ended already");
  });

  it("when its stream breaks, then it can resubscribe and misses nothing", async () => {
    const { script, isBegun, release } = held("Nine metres.");
    server = await A2aUnderTest.start(script);
    const client = await server.client(binding);
    const stream = client.sendMessageStream(says("How deep?"));
    const first = await stream.next();
    const id = idOf(first.value ?? undefined);
    await isBegun;
    await stream.return();
    const again = client.resubscribeTask({ tenant: "", id });
    const events: StreamResponse[] = [];
    for await (const event of again) {
      events.push(event);
      release();
    }
    expect(idOf(events[0])).toBe(id);
    const last = events.at(-2)?.payload;
    expect(
      last?.$case === "artifactUpdate" && last.value.artifact && answerOf({ artifacts: [last.value.artifact] }),
    ).toBe("Nine metres.");
    await expect(client.resubscribeTask({ tenant: "", id }).next()).rejects.toThrow("has ended");
  });

  it("when it lists its tasks, then it gets pages of its own tasks only, latest first", async () => {
    server = await A2aUnderTest.start(() => "Done.");
    const client = await server.client(binding);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(asTask(await client.sendMessage(says(`Question ${n}`))).id);
    await (await server.client(binding, "bob")).sendMessage(says("Bob's"));
    const filter = {
      tenant: "",
      contextId: "",
      status: TaskState.TASK_STATE_UNSPECIFIED,
      statusTimestampAfter: undefined,
    };
    const found: string[] = [];
    let pageToken = "";
    do {
      const page = await client.listTasks({ ...filter, pageSize: 2, pageToken });
      expect(page.totalSize).toBe(5);
      expect(page.tasks.every(({ artifacts }) => artifacts.length === 0)).toBe(true);
      found.push(...page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect([...found].sort()).toEqual([...ids].sort());
    const open = await client.listTasks({ ...filter, status: TaskState.TASK_STATE_WORKING, pageToken: "" });
    expect(open.tasks).toEqual([]);
  });

  it("when it names another caller's task, then that task does not exist for it (F27)", async () => {
    server = await A2aUnderTest.start(["Secret."]);
    const { id, contextId } = asTask(await (await server.client(binding)).sendMessage(says("A secret")));
    const bob = await server.client(binding, "bob");
    await expect(bob.getTask({ tenant: "", id })).rejects.toThrow("the task does not exist");
    await expect(bob.cancelTask({ tenant: "", id, metadata: undefined })).rejects.toThrow("the task does not exist");
    await expect(bob.resubscribeTask({ tenant: "", id }).next()).rejects.toThrow("the task does not exist");
    await expect(bob.sendMessage(says("Tell me", { taskId: id, contextId }))).rejects.toThrow(
      "the task does not exist",
    );
    await expect(
      bob.listTaskPushNotificationConfig({ tenant: "", taskId: id, pageSize: 0, pageToken: "" }),
    ).rejects.toThrow("the task does not exist");
  });

  it("when it names another caller's task in any request, then the response is the same as for a task that never existed (F27)", async () => {
    server = await A2aUnderTest.start(["Secret."]);
    const alice = await server.client(binding);
    const { id: foreign, contextId } = asTask(await alice.sendMessage(says("A secret")));
    const config = { tenant: "", url: "https://93.184.216.34/hook", token: "", authentication: undefined };
    await alice.createTaskPushNotificationConfig({ ...config, id: "hers", taskId: foreign });
    const bob = await server.client(binding, "bob");
    const ways = (id: string): Promise<unknown>[] => [
      bob.getTask({ tenant: "", id }),
      bob.cancelTask({ tenant: "", id, metadata: undefined }),
      bob.resubscribeTask({ tenant: "", id }).next(),
      bob.sendMessage(says("Tell me", { taskId: id, contextId })),
      bob.sendMessageStream(says("Tell me", { taskId: id, contextId })).next(),
      bob.createTaskPushNotificationConfig({ ...config, id: "his", taskId: id }),
      bob.getTaskPushNotificationConfig({ tenant: "", taskId: id, id: "hers" }),
      bob.listTaskPushNotificationConfig({ tenant: "", taskId: id, pageSize: 0, pageToken: "" }),
      bob.deleteTaskPushNotificationConfig({ tenant: "", taskId: id, id: "hers" }),
    ];
    const responses = async (id: string) =>
      (await Promise.allSettled(ways(id))).map((end) =>
        end.status === "rejected" ? `${end.reason.name}: ${end.reason.message}` : "no error",
      );
    const refusals = await responses(foreign);
    expect(refusals).toEqual(await responses("task-that-never-was"));
    expect(refusals).not.toContain("no error");
    const everything = { tenant: "", contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: "" };
    const listed = await bob.listTasks({ ...everything, statusTimestampAfter: undefined });
    expect([listed.tasks, listed.totalSize]).toEqual([[], 0]);
    const kept = await alice.listTaskPushNotificationConfig({
      tenant: "",
      taskId: foreign,
      pageSize: 0,
      pageToken: "",
    });
    expect(kept.configs.map(({ id }) => id)).toEqual(["hers"]);
  });

  it("when the model fails, then the task has failed, with a message", async () => {
    server = await A2aUnderTest.start([answers(""), answers("")]);
    const client = await server.client(binding);
    const task = asTask(await client.sendMessage(says("How deep?")));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(statusText(task)).toMatch(/./);
  });
});
