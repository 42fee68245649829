import { TaskState } from "@a2a-js/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calls } from "../../fakes/scripted-model.ts";
import { A2aUnderTest, asTask, credentials, says } from "./a2a-under-test.ts";

const everything = { contextId: "", status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: "" };

describe.each(["embedded", "nats"] as const)("given callers of two tenants, on %s", (kind) => {
  let server: A2aUnderTest;
  beforeAll(async () => {
    server = await A2aUnderTest.start(() => calls({ name: "ask_caller", input: { question: "Where?" } }), { kind });
  }, 60_000);
  afterAll(() => server.dispose());

  const as = (caller: keyof typeof credentials) => async (path: string, body?: object, tenant?: string) => {
    const response = await fetch(`${server.url}${path}`, {
      method: body ? "POST" : "GET",
      headers: { "content-type": "application/json", "a2a-version": "1.0", ...credentials[caller] },
      ...(body && { body: JSON.stringify(tenant === undefined ? body : { ...body, tenant }) }),
    });
    return { status: response.status, body: await response.text() };
  };
  const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
  const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "Tell me" }] };

  it("when one addresses an agent of another tenant by any route, then it is refused and no turn runs (R7)", async () => {
    const alice = await server.client("JSONRPC", "alice");
    const { id } = asTask(await alice.sendMessage(says("A secret")));
    const asked = server.model.requests.items.length;
    const erin = as("erin");
    const params = { id, tenant: "default" };
    const responses = [
      await erin("/a2a/mooring", rpc("SendMessage", { message, tenant: "default" })),
      await erin("/a2a/mooring", rpc("SendStreamingMessage", { message })),
      await erin("/a2a/mooring", rpc("GetTask", params)),
      await erin("/a2a/mooring", rpc("ListTasks", {})),
      await erin("/a2a/mooring", rpc("CancelTask", params)),
      await erin("/a2a/mooring", rpc("SubscribeToTask", params)),
      await erin("/a2a/mooring", rpc("GetExtendedAgentCard", {})),
      await erin("/a2a/mooring/message:send", { message }, "default"),
      await erin("/a2a/mooring/message:stream", { message }),
      await erin("/a2a/mooring/tasks"),
      await erin(`/a2a/mooring/tasks/${id}`),
      await erin(`/a2a/mooring/tasks/${id}:cancel`, {}),
      await erin(`/a2a/mooring/tasks/${id}:subscribe`),
      await erin(`/a2a/mooring/tasks/${id}/pushNotificationConfigs`),
    ];
    for (const { status, body } of responses) {
      expect([status, body]).toEqual([403, expect.stringContaining("may not call this agent")]);
      expect(body).not.toContain("secret");
    }
    expect((await as("alice")("/a2a/acme/message:send", { message })).status).toBe(403);
    expect(server.model.requests.items).toHaveLength(asked);
    expect(await alice.getTask({ tenant: "", id })).toMatchObject({
      status: { state: TaskState.TASK_STATE_INPUT_REQUIRED },
    });
  });

  it("when one names a foreign task or tenant at its own agent, then that task does not exist for it (R7)", async () => {
    const alice = await server.client("JSONRPC", "alice");
    const { id, contextId } = asTask(await alice.sendMessage(says("Another secret")));
    const erin = as("erin");
    for (const tenant of ["", "default", "acme"]) {
      for (const [method, params] of [
        ["GetTask", { id }],
        ["CancelTask", { id }],
        ["SubscribeToTask", { id }],
        ["SendMessage", { message: { ...message, taskId: id, contextId } }],
        ["CreateTaskPushNotificationConfig", { taskId: id, id: "hers", url: "https://93.184.216.34/hook" }],
      ] as const) {
        const { body } = await erin("/a2a/acme", rpc(method, { ...params, tenant }));
        expect([method, body]).toEqual([method, expect.stringContaining("TASK_NOT_FOUND")]);
      }
      const listed = await erin("/a2a/acme", rpc("ListTasks", { ...everything, contextId, tenant }));
      expect(JSON.parse(listed.body).result).toMatchObject({ totalSize: 0 });
    }
    expect(await alice.getTask({ tenant: "", id })).toMatchObject({
      status: { state: TaskState.TASK_STATE_INPUT_REQUIRED },
    });
  });

  it("when one calls the agent of its own tenant, then it is answered, also in a context id that another caller uses (R7)", async () => {
    const alice = await server.client("JSONRPC", "alice");
    const { contextId } = asTask(await alice.sendMessage(says("My secret is swordfish")));
    const { status, body } = await as("erin")("/a2a/acme/message:send", { message: { ...message, contextId } });
    expect([status, body]).toEqual([200, expect.stringContaining("Where?")]);
    expect(JSON.stringify(server.model.requests.items.at(-1)?.messages)).not.toContain("swordfish");
  });
});
