import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import type { Bus } from "../../../core/contract/ports/bus.ts";
import { A2aUnderTest } from "./a2a-under-test.ts";

let server: A2aUnderTest;
let isAway = false;
beforeAll(async () => {
  server = await A2aUnderTest.start(() => "Done.", { wrap: sometimesAway });
});
afterAll(() => server.dispose());

const sometimesAway = (backbone: Backbone): Backbone => {
  const { bus, store } = backbone;
  const leaving: Bus = {
    publish: (subject, message, options) =>
      isAway ? Promise.reject(new AppError("unavailable", "the disk is full")) : bus.publish(subject, message, options),
    consume: (subject, options, handle) => bus.consume(subject, options, handle),
    signal: (subject, message) => bus.signal(subject, message),
    listen: (subject, handle) => bus.listen(subject, handle),
  };
  return {
    bus: leaving,
    store,
    health: () => backbone.health(),
    writeProblem: () => backbone.writeProblem(),
    onHealthChange: (listener) => backbone.onHealthChange(listener),
    queues: () => backbone.queues(),
    close: () => backbone.close(),
  };
};

const OLD = { kind: "message", messageId: "old-1", role: "user", parts: [{ kind: "text", text: "How deep?" }] };
const NEW = { messageId: "new-1", role: "ROLE_USER", parts: [{ text: "How deep?" }] };
const Failed = z.looseObject({ error: z.looseObject({ code: z.number(), message: z.string() }) });

const refusal = async (version: string, body: unknown) =>
  Failed.parse(await (await server.post("/a2a/mooring", body, { "a2a-version": version })).json()).error;
const rpc = (method: string, params: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });
const sends = (changes: object) => rpc("message/send", { message: { ...OLD, ...changes } });

describe("given an invalid request of version 0.3 (F19)", () => {
  it.each<[name: string, body: unknown, code: number]>([
    ["invalid JSON", "{", -32_700],
    ["no method", { jsonrpc: "2.0", id: 1 }, -32_600],
    ["an unknown method", rpc("tasks/explode", {}), -32_601],
    ["params that are a list", rpc("message/send", []), -32_602],
    ["no message", rpc("message/send", {}), -32_602],
    ["no parts", sends({ parts: [] }), -32_602],
    ["parts that are text", sends({ parts: "hello" }), -32_602],
    ["an empty part", sends({ parts: [{}] }), -32_602],
    ["a part that is null", sends({ parts: [null] }), -32_602],
    ["a message that is text", rpc("message/send", { message: "hello" }), -32_602],
    ["a task that is a number", rpc("tasks/get", { id: 7 }), -32_602],
    ["no task to read", rpc("tasks/get", {}), -32_602],
    ["a message id that is a number", sends({ messageId: 7 }), -32_602],
    ["a context that is a list", sends({ contextId: ["x"] }), -32_602],
    [
      "a file whose bytes are a number",
      sends({ parts: [{ kind: "file", file: { bytes: 7, mimeType: "text/plain" } }] }),
      -32_602,
    ],
    ["the agent's role", sends({ role: "agent" }), -32_602],
    ["a negative history length", rpc("tasks/get", { id: "x", historyLength: -1 }), -32_602],
    ["an unknown task", sends({ taskId: "task-unknown" }), -32_001],
    ["an unknown task to cancel", rpc("tasks/cancel", { id: "task-unknown" }), -32_001],
    ["nothing to stream", rpc("message/stream", { message: { ...OLD, parts: [] } }), -32_602],
  ])("when it has %s, then the response has the error code", async (_name, body, code) => {
    const error = await refusal("0.3", body);
    expect(error).toMatchObject({ code });
    expect(error.message).not.toMatch(/is not a function|Cannot read|argument/);
  });
});

describe("given a backbone that cannot store at the moment", () => {
  it.each([
    ["0.3", rpc("message/send", { message: OLD })],
    ["0.3", rpc("message/stream", { message: OLD })],
    ["1.0", rpc("SendMessage", { message: NEW })],
    ["1.0", rpc("SendStreamingMessage", { message: NEW })],
  ])(
    "when a caller of version %s sends a message, then the error asks for a retry and does not blame the request",
    async (version, body) => {
      isAway = true;
      const error = await refusal(version, body);
      isAway = false;
      expect(error).toMatchObject({ code: -32_603, message: expect.stringContaining("send it again") });
    },
  );
});
