import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { A2aUnderTest, answerOf, asTask, says } from "../gateway/a2a/a2a-under-test.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutated, mutatedText } from "./mutated.ts";

let server: A2aUnderTest;
beforeAll(async () => {
  server = await A2aUnderTest.start(() => "Done.");
});
afterAll(() => server.dispose());

const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hello" }], contextId: "c-1", extensions: [] };
const push = {
  id: "p-1",
  url: "http://127.0.0.1:9/hook",
  token: "t",
  authentication: { scheme: "Bearer", credentials: "c" },
};
const request = {
  message,
  configuration: { historyLength: 2, returnImmediately: true, taskPushNotificationConfig: push },
  metadata: { skill: "facts" },
};
const rpc = (method: string, params: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });

const RPC = [
  rpc("SendMessage", request),
  rpc("SendStreamingMessage", request),
  rpc("GetTask", { id: "task-1", historyLength: 3 }),
  rpc("ListTasks", { pageSize: 10, status: "TASK_STATE_WORKING", contextId: "c-1", pageToken: "" }),
  rpc("CancelTask", { id: "task-1" }),
  rpc("SubscribeToTask", { id: "task-1" }),
  rpc("CreateTaskPushNotificationConfig", { taskId: "task-1", ...push }),
  rpc("message/send", {
    message: { kind: "message", messageId: "m-2", role: "user", parts: [{ kind: "text", text: "hi" }] },
  }),
];
const PATHS = [
  "/message:send",
  "/message:stream",
  "/tasks/task-1:cancel",
  "/tasks/task-1:subscribe",
  "/tasks/task-1/pushNotificationConfigs",
];
const version = fc.constantFrom("1.0", "0.3", "", "x".repeat(300));

/** Reads the answer to its end, so that a stream without an end fails the test by its timeout. */
const refusedOrAnswered = async (response: Response): Promise<void> => {
  const text = await response.text();
  expect(response.status, text).toBeLessThan(500);
  expect(text).not.toMatch(/Cannot read|is not a function|node_modules|\.ts:\d/);
};

const expectStillAnswering = async (): Promise<void> => {
  const client = await server.client();
  expect(answerOf(asTask(await client.sendMessage(says("Still there?"))))).toBe("Done.");
};

describe("given malformed calls to the A2A endpoints (F19)", () => {
  it("when they arrive over JSON-RPC, then each gets an answer of the protocol, and the next valid call is answered", async () => {
    const harm = watchHarm();
    await fc.assert(
      fc.asyncProperty(mutatedText(RPC), version, async (body, protocol) => {
        await refusedOrAnswered(await server.post("/a2a/mooring", body, { "a2a-version": protocol }));
      }),
      fuzzRuns(150),
    );
    await expectStillAnswering();
    harm.expectNone();
  });

  it("when they arrive over HTTP+JSON with any path and body, then each gets an answer, and the next valid call is answered", async () => {
    const harm = watchHarm();
    const path = fc.oneof(
      fc.constantFrom(...PATHS),
      fc.string({ maxLength: 40 }).map((text) => `/tasks/${encodeURIComponent(text.replace(/\p{Surrogate}/gu, ""))}`),
    );
    await fc.assert(
      fc.asyncProperty(path, mutatedText([request, push]), async (at, body) => {
        await refusedOrAnswered(await server.post(`/a2a/mooring${at}`, body));
      }),
      fuzzRuns(100),
    );
    await expectStillAnswering();
    harm.expectNone();
  });

  it("when the token is wrong, then the answer is 401", async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[\x21-\x7e]{0,60}$/), mutated([message]), async (token, body) => {
        const response = await server.post("/a2a/mooring", body, { authorization: `Bearer ${token}` });
        expect(response.status).toBe(401);
      }),
      fuzzRuns(50),
    );
  });
});
