import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type TaskPushNotificationConfig, TaskState } from "@a2a-js/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { taskKey } from "../../../core/a2a/inbound/inbound-task.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { RecordingTracer } from "../../fakes/otlp/recording-tracer.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { A2aUnderTest, asTask, type Binding, says } from "./a2a-under-test.ts";

interface Notified {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly task?: { readonly id: string; readonly status: { readonly state: string } } };
}

let server: A2aUnderTest;
let receiver: Server;
let notified: Recorder<Notified>;
let answers: number[];
let hookUrl: string;

beforeEach(async () => {
  notified = new Recorder();
  answers = [];
  receiver = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    notified.add({ path: request.url, headers: request.headers, body: JSON.parse(text) });
    response.writeHead(answers.shift() ?? 200, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  hookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  server = await A2aUnderTest.start(() => "Nine metres.", { tracer: new RecordingTracer() });
});
afterEach(async () => {
  await server.dispose();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const hook = (rest: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig => ({
  tenant: "",
  id: "",
  taskId: "",
  url: hookUrl,
  token: "",
  authentication: undefined,
  ...rest,
});

describe("given a caller with a webhook (A8)", () => {
  it("when its message has a trace, then the notification belongs to that trace, below the turn (U4)", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
    const message = { messageId: "traced", role: "ROLE_USER", parts: [{ text: "How deep?" }] };
    const params = { message, configuration: { taskPushNotificationConfig: { url: hookUrl } } };
    await server.post("/a2a/mooring", { jsonrpc: "2.0", id: 1, method: "SendMessage", params }, { traceparent });
    await notified.count(1);
    const sentTrace = notified.items[0]?.headers.traceparent;
    expect(sentTrace).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-0[01]$`));
    expect(sentTrace).not.toContain("00f067aa0ba902b7");
  });

  it.each<Binding>(["JSONRPC", "HTTP+JSON"])(
    "when its task over %s ends, then its webhook is notified, with the registered token and credentials",
    async (binding) => {
      const client = await server.client(binding);
      const taskPushNotificationConfig = hook({
        token: "a-secret",
        authentication: { scheme: "Bearer", credentials: "abc" },
      });
      const { id } = asTask(await client.sendMessage(says("How deep?", {}, { taskPushNotificationConfig })));
      const [{ headers, body }] = (await notified.until((items) => items.length > 0)) as [Notified];
      expect(headers).toMatchObject({ "x-a2a-notification-token": "a-secret", authorization: "Bearer abc" });
      expect(body.task).toMatchObject({ id, status: { state: "TASK_STATE_COMPLETED" } });
      const kept = await server.core.store.get(taskKey({ tenant: "default", agent: "mooring", caller: "alice", id }));
      expect(kept?.value.webhooks).toEqual([expect.objectContaining({ token: expect.stringMatching(/^sealed:/) })]);
      expect(JSON.stringify(kept)).not.toMatch(/a-secret|"abc"/);
    },
  );

  it.each([503, 302])(
    "when the webhook answers %i, then the notification is retried, at the same address only",
    async (status) => {
      answers = [status];
      const client = await server.client();
      await client.sendMessage(says("How deep?", {}, { taskPushNotificationConfig: hook() }));
      const both = await notified.until((items) => items.length > 1);
      expect(both[1]?.body).toEqual(both[0]?.body);
      expect(both.map(({ path }) => path)).toEqual(["/hook", "/hook"]);
    },
  );

  it("when it has several webhooks, then it can add, read and remove them", async () => {
    const client = await server.client("HTTP+JSON");
    const { id: taskId } = asTask(await client.sendMessage(says("How deep?")));
    const made = await client.createTaskPushNotificationConfig(hook({ taskId, id: "mine", token: "t" }));
    expect(made).toMatchObject({ id: "mine", taskId, url: hookUrl });
    expect(await client.getTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" })).toMatchObject({
      token: "t",
    });
    const list = () => client.listTaskPushNotificationConfig({ tenant: "", taskId, pageSize: 0, pageToken: "" });
    expect((await list()).configs.map(({ id }) => id)).toEqual(["mine"]);
    await client.deleteTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" });
    expect((await list()).configs).toEqual([]);
    await expect(client.getTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" })).rejects.toThrow("no such");
  });

  it.each([
    "http://169.254.169.254/latest",
    "http://10.0.0.7/hook",
    "http://[::1]:1/hook",
    "http://0xa.1/hook",
    "file:///etc/passwd",
    "not an address",
  ])("when its webhook is %s, then it is refused at once (F26)", async (url) => {
    const client = await server.client();
    const sent = client.sendMessage(says("How deep?", {}, { taskPushNotificationConfig: hook({ url }) }));
    await expect(sent).rejects.toThrow("the push notification's url");
    expect(server.model.requests.items).toEqual([]);
  });

  it("when a webhook turns out to be in a private network, then it is turned off and nothing is sent", async () => {
    const client = await server.client();
    const { id } = asTask(await client.sendMessage(says("How deep?", {}, { returnImmediately: true })));
    const address = { tenant: "default", agent: "mooring", caller: "alice", id };
    const { store } = server.core;
    const isDone = async () =>
      (await client.getTask({ tenant: "", id })).status?.state === TaskState.TASK_STATE_COMPLETED;
    while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 20));
    const stored = await store.get(taskKey(address));
    if (stored === undefined) throw new Error("the task is missing");
    const webhook = { id: "private", url: "http://192.168.0.1/hook", version: "1.0" };
    await store.put(taskKey(address), { ...stored.value, webhooks: [webhook] });
    const due = { ...address, webhook: "private", change: stored.value.changes };
    await server.core.bus.publish(subjectsOf("default").a2aPush("mooring"), due, { id: "push-1", key: "push-1" });
    const isOff = async () => (await store.get(taskKey(address)))?.value.webhooks[0]?.isOff;
    while (!(await isOff())) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(notified.items).toEqual([]);
  });
});
