import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { A2aUnderTest } from "./a2a-under-test.ts";

let server: A2aUnderTest;
beforeAll(async () => {
  server = await A2aUnderTest.start(() => "Done.");
});
afterAll(() => server.dispose());

const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hello" }] };
const rpc = (method: unknown, params: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });
const send = (changes: object, configuration?: object) =>
  rpc("SendMessage", { message: { ...message, ...changes }, ...(configuration && { configuration }) });

const HOOK = "https://hooks.example/a";
const PRIVATE = "http://169.254.169.254/latest";

const PARSE = -32_700;
const REQUEST = -32_600;
const METHOD = -32_601;
const PARAMS = -32_602;
const NO_TASK = -32_001;
const CONTENT = -32_005;
const VERSION = -32_009;

const Answer = z.looseObject({ error: z.looseObject({ message: z.string() }) });
const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

const errorOf = async (response: Response) => ({ status: response.status, ...Answer.parse(await response.json()) });

describe("given an invalid request over JSON-RPC (F19)", () => {
  it.each<[name: string, body: unknown, code: number]>([
    ["invalid JSON", "{", PARSE],
    ["an empty body", "", PARSE],
    ["10,000 open brackets", "[".repeat(10_000), PARSE],
    ["data in 3,000 lists", send({ parts: [{ data: { a: nested(3_000) } }] }), PARAMS],
    ["metadata in 3,000 lists", send({ metadata: { a: nested(3_000) } }), PARAMS],
    ["a batch", [send({})], REQUEST],
    ["text", '"hello"', REQUEST],
    ["another version of JSON-RPC", { ...send({}), jsonrpc: "1.0" }, REQUEST],
    ["no method", { jsonrpc: "2.0", id: 1 }, REQUEST],
    ["a method that is a number", rpc(7, {}), REQUEST],
    ["an id that is an object", { ...send({}), id: {} }, REQUEST],
    ["an unknown method", rpc("Explode", {}), METHOD],
    ["params that are a list", rpc("SendMessage", []), PARAMS],
    ["no params", rpc("SendMessage", undefined), PARAMS],
    ["no message", rpc("SendMessage", {}), PARAMS],
    ["a message that is text", rpc("SendMessage", { message: "hello" }), PARAMS],
    ["no parts", send({ parts: [] }), PARAMS],
    ["parts that are text", send({ parts: "hello" }), PARAMS],
    ["an empty part", send({ parts: [{}] }), PARAMS],
    ["blank parts", send({ parts: [{ text: " \n " }] }), PARAMS],
    ["no role", send({ role: undefined }), PARAMS],
    ["the agent's role", send({ role: "ROLE_AGENT" }), PARAMS],
    ["an unknown role", send({ role: "ROLE_KING" }), PARAMS],
    ["no message id", send({ messageId: "" }), PARAMS],
    ["a message id that is too long", send({ messageId: "x".repeat(201) }), PARAMS],
    ["a negative history length", send({}, { historyLength: -1 }), PARAMS],
    ["a history length that is not a number", send({}, { historyLength: "many" }), PARAMS],
    ["bytes that are not text", send({ parts: [{ raw: "AAAA", mediaType: "image/png" }] }), CONTENT],
    ["an unknown task", send({ taskId: "task-unknown" }), NO_TASK],
    ["an unknown task to read", rpc("GetTask", { id: "task-unknown" }), NO_TASK],
    ["no task to read", rpc("GetTask", {}), PARAMS],
    ["a negative length to read", rpc("GetTask", { id: "x", historyLength: -3 }), PARAMS],
    ["an unknown task to cancel", rpc("CancelTask", { id: "task-unknown" }), NO_TASK],
    ["an unknown task to follow", rpc("SubscribeToTask", { id: "task-unknown" }), NO_TASK],
    ["a page size of zero", rpc("ListTasks", { pageSize: 0 }), PARAMS],
    ["a huge page", rpc("ListTasks", { pageSize: 101 }), PARAMS],
    ["an unknown state", rpc("ListTasks", { status: "TASK_STATE_ASLEEP" }), PARAMS],
    ["an invalid time", rpc("ListTasks", { statusTimestampAfter: "yesterday" }), PARAMS],
    ["a forged page token", rpc("ListTasks", { pageToken: "../.." }), PARAMS],
    ["a page token without a position", rpc("ListTasks", { pageToken: "WzEsMiwzXQ" }), PARAMS],
    ["a negative page", rpc("ListTasks", { pageSize: -1 }), PARAMS],
    ["a negative length to list", rpc("ListTasks", { historyLength: -1 }), PARAMS],
    ["nothing to stream", rpc("SendStreamingMessage", { message: { ...message, parts: [] } }), PARAMS],
    ["an unknown task to continue", rpc("SendStreamingMessage", { message: { ...message, taskId: "x" } }), NO_TASK],
    ["a webhook for an unknown task", rpc("CreateTaskPushNotificationConfig", { taskId: "x", url: HOOK }), NO_TASK],
    ["a webhook for no task", rpc("CreateTaskPushNotificationConfig", { url: HOOK }), PARAMS],
    ["a webhook in a private network", rpc("CreateTaskPushNotificationConfig", { taskId: "x", url: PRIVATE }), PARAMS],
    [
      "a webhook without a valid address",
      rpc("CreateTaskPushNotificationConfig", { taskId: "x", url: "file:///x" }),
      PARAMS,
    ],
    ["an unknown task's webhooks", rpc("ListTaskPushNotificationConfigs", { taskId: "x" }), NO_TASK],
    ["an unknown webhook to delete", rpc("DeleteTaskPushNotificationConfig", { taskId: "x", id: "y" }), NO_TASK],
    ["a __proto__ key", send({ metadata: JSON.parse('{"__proto__":{"skill":"news"}}'), parts: [] }), PARAMS],
  ])("when it has %s, then the response has the error code", async (_name, body, code) => {
    const answer = await errorOf(await server.post("/a2a/mooring", body));
    expect(answer).toMatchObject({ status: 200, jsonrpc: "2.0", error: { code, message: expect.any(String) } });
    expect(answer.error.message).not.toMatch(/is not a function|Cannot read/);
  });

  it.each(["9.9", "one"])(
    "when it requests version %s, then the error lists the supported versions",
    async (version) => {
      const answer = await errorOf(await server.post("/a2a/mooring", send({}), { "a2a-version": version }));
      expect(answer).toMatchObject({ status: 200, error: { code: VERSION } });
    },
  );

  it("when it is too large, then it is refused before it is read (F20)", async () => {
    const answer = await errorOf(await server.post("/a2a/mooring", send({ parts: [{ text: "x".repeat(300_000) }] })));
    expect(answer).toMatchObject({ status: 413, error: { code: "too-large" } });
  });

  it("when its content type is not JSON, then it is refused", async () => {
    const answer = await server.post("/a2a/mooring", "<a/>", { "content-type": "application/xml" });
    expect(answer.status).toBe(415);
  });
});

describe("given an invalid request over HTTP+JSON", () => {
  it.each<[path: string, body: unknown, status: number]>([
    ["/message:send", "{", 400],
    ["/message:send", [], 400],
    ["/message:send", {}, 400],
    ["/message:send", { message: { ...message, parts: [] } }, 400],
    ["/message:stream", { message: { ...message, role: "ROLE_AGENT" } }, 400],
    ["/message:send", { message: { ...message, taskId: "task-unknown" } }, 404],
    ["/tasks/task-unknown:cancel", "", 404],
    ["/tasks/task-unknown:subscribe", "", 404],
    ["/tasks/task-unknown:explode", "", 404],
    ["/tasks/task-unknown/pushNotificationConfigs", { url: HOOK }, 404],
    ["/tasks/task-unknown/pushNotificationConfigs", { url: PRIVATE }, 400],
    ["/tasks/task-unknown/pushNotificationConfigs", {}, 400],
    ["/tasks/task-unknown/pushNotificationConfigs", { id: { toString: null }, url: HOOK }, 400],
    ["/message:send", { message: { ...message, contextId: { toString: null } } }, 400],
    ["/message:send", { message: { ...message, contextId: "\ud800" } }, 400],
  ])("when a caller posts to %s %j, then the response is %i", async (path, body, status) => {
    const response = await server.post(`/a2a/mooring${path}`, body);
    expect(await errorOf(response)).toMatchObject({ status, error: { code: status } });
  });

  it.each([
    ["/tasks/task-unknown", 404],
    ["/tasks?pageSize=-1", 400],
    ["/tasks?pageSize=many", 400],
    ["/tasks/x?historyLength=-1", 400],
  ])("when a caller reads %s, then the response is %i", async (path, status) => {
    const headers = { authorization: "Bearer alices-long-token", "a2a-version": "1.0" };
    expect((await fetch(`${server.url}/a2a/mooring${path}`, { headers })).status).toBe(status);
  });
});

describe("given data that is nested too deeply, over HTTP+JSON", () => {
  it("then it is refused before it is processed (F19)", async () => {
    const body = { message: { ...message, parts: [{ data: { a: nested(3_000) } }] } };
    const answer = await errorOf(await server.post("/a2a/mooring/message:send", body));
    expect(answer).toMatchObject({ status: 400, error: { message: expect.stringContaining("more than 64 deep") } });
  });
});

describe("given all these requests", () => {
  it("then no model was called", () => {
    expect(server.model.requests.items).toEqual([]);
  });
});
