import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { otelTraceId } from "../../../core/lib/derived-ids.ts";
import { turnsOfAgent } from "../../../core/turns/record/turn-records.ts";
import { findMessage } from "../../../gateway/admin/trace/find-message.ts";
import { A2aUnderTest } from "./a2a-under-test.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const PLACE = { tenant: "default", agent: "mooring" };

let server: A2aUnderTest;
beforeAll(async () => {
  server = await A2aUnderTest.start(() => "Done.");
});
afterAll(() => server.dispose());

let sent = 0;
/** The trace id of the turn for a call with these headers. */
const call = async (headers: Record<string, string>): Promise<string | undefined> => {
  const messageId = `traced-${++sent}`;
  const message = { messageId, role: "ROLE_USER", parts: [{ text: "hello" }] };
  const body = { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } };
  const { result } = (await (await server.post("/a2a/mooring", body, headers)).json()) as {
    result: { task: { contextId: string; status: { state: string } } };
  };
  expect(result.task.status.state).toBe("TASK_STATE_COMPLETED");
  for await (const { value } of server.core.store.list(turnsOfAgent(PLACE))) {
    if (value.audience.conversation.thread === result.task.contextId) return value.traceId;
  }
  return undefined;
};

describe("given a remote caller", () => {
  it("when it sends a trace, then the turn joins it and can be looked up by it (U4)", async () => {
    const traceId = await call({ traceparent: SENT, tracestate: "rojo=1" });
    expect(traceId).toBe(`${SENT};rojo=1`);
    expect(await findMessage(server.core.store, PLACE, TRACE)).toMatchObject({ record: { traceId } });
  });

  it.each([
    ["no trace", {}],
    ["a malformed trace", { traceparent: `00-${TRACE}-01` }],
    ["a trace id of zeroes", { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01` }],
    ["only a trace state", { tracestate: "rojo=1" }],
  ])("when it sends %s, then the turn has its own trace", async (_, headers) => {
    const traceId = (await call(headers)) ?? "";
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(otelTraceId(traceId)).not.toBe(TRACE);
    expect(await findMessage(server.core.store, PLACE, traceId)).toMatchObject({ record: { traceId } });
  });
});
