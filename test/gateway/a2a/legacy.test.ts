import { TaskState } from "@a2a-js/sdk";
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { A2aUnderTest, answerOf, asTask, credentials, says } from "./a2a-under-test.ts";

let server: A2aUnderTest;
afterEach(() => server.dispose());

const message = { kind: "message", messageId: "old-1", role: "user", parts: [{ kind: "text", text: "How deep?" }] };
const call = (method: string, params: object) =>
  fetch(`${server.url}/a2a/mooring`, {
    method: "POST",
    headers: { "content-type": "application/json", ...credentials.alice },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
const Answer = z.looseObject({ result: z.looseObject({ id: z.string() }) });

describe("given a caller that speaks version 0.3", () => {
  it("when it sends and reads, then the answers have the form of 0.3", async () => {
    server = await A2aUnderTest.start(["Nine metres."]);
    const { result } = Answer.parse(await (await call("message/send", { message })).json());
    expect(result).toMatchObject({
      kind: "task",
      status: { state: "completed" },
      artifacts: [{ parts: [{ kind: "text", text: "Nine metres." }] }],
    });
    const read = await (await call("tasks/get", { id: result.id })).json();
    expect(read).toMatchObject({ result: { kind: "task", id: result.id, status: { state: "completed" } } });
    const unknown = await (await call("tasks/get", { id: "task-unknown" })).json();
    expect(unknown).toMatchObject({ error: { code: -32_001 } });
  });

  it("when it streams, then the events have the form of 0.3", async () => {
    server = await A2aUnderTest.start(["Nine metres."]);
    const text = await (await call("message/stream", { message })).text();
    const events = text
      .split("\n\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice(6)).result);
    expect(events[0].kind).toBe("task");
    expect(events.at(-1)).toMatchObject({ kind: "status-update", final: true, status: { state: "completed" } });
  });

  it("when the SDK's client falls back to 0.3, then it gets its answer", async () => {
    server = await A2aUnderTest.start(["Nine metres."]);
    const legacyCompat = { enabled: true };
    const asOld: typeof fetch = (input, init) => {
      const headers = new Headers({ ...Object.fromEntries(new Headers(init?.headers)), ...credentials.alice });
      headers.set("a2a-version", "0.3");
      return fetch(input, { ...init, headers });
    };
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory({ fetchImpl: asOld, legacyCompat })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl: asOld, legacyCompat }),
    });
    const client = await factory.createFromUrl(server.url);
    expect(client.protocolVersion).toBe("0.3");
    const task = asTask(await client.sendMessage(says("How deep?")));
    expect([task.status?.state, answerOf(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, "Nine metres."]);
  });

  it("when it uses HTTP+JSON, which the SDK supports for 0.3 only in Express, then the error names the version", async () => {
    server = await A2aUnderTest.start();
    const old = await server.post("/a2a/mooring/message:send", { message }, { "a2a-version": "0.3" });
    expect([old.status, await old.json()]).toMatchObject([400, { error: { message: expect.stringContaining("0.3") } }]);
    expect((await server.post("/a2a/mooring/v1/message:send", { message }, { "a2a-version": "0.3" })).status).toBe(404);
  });
});
