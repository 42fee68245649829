import type { IncomingHttpHeaders } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { acceptTrace } from "../../../core/lib/derived-ids.ts";
import { SdkAgent } from "../../fakes/a2a/sdk-agent.ts";
import { RecordingTracer } from "../../fakes/otlp/recording-tracer.ts";
import { ASYNC, asks } from "../a2a/peers-under-test.ts";
import type { CoreUnderTest } from "../core-under-test.ts";
import { startDelegating } from "../subtasks/delegating.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

let remote: SdkAgent;
let core: CoreUnderTest;
afterEach(async () => {
  await core.dispose();
  await remote.stop();
});

/** Sends one message to the remote agent and returns its headers. */
const consult = async (traceId: string, tracer?: RecordingTracer) => {
  const received: IncomingHttpHeaders[] = [];
  remote = await SdkAgent.start((work) => work.answer("three"), {
    intercept: ({ headers }, _response, body) => {
      if (body.includes("any ships?")) received.push(headers);
      return false;
    },
  });
  core = await startDelegating(
    asks({ agent: "ships", message: "any ships?", msg_type: "consult" }, (outputs) => `so ${outputs[0]}`),
    {
      tenants: ASYNC,
      agent: { peers: ["ships"] },
      remote: { peers: [{ name: "ships", tenant: "default", url: remote.url, trusted: true }] },
      tracer,
    },
  );
  await core.ask("m-1", "go", { traceId });
  return received[0] ?? {};
};

describe("given a message to a remote agent", () => {
  it("when telemetry is on, then it carries the trace, with the call as its parent (U4)", async () => {
    const tracer = new RecordingTracer();
    const headers = await consult(TRACE, tracer);
    const call = tracer.spans.items.find(({ name }) => name === "invoke_agent ships");
    expect(headers.traceparent).toBe(`00-${TRACE}-${call?.id}-01`);
    expect(headers.tracestate).toBeUndefined();
    expect(call).toMatchObject({ kind: "client", attributes: { "mooring.peer_call.remote": true } });
  });

  it("when a caller began the work with a trace and its state, then both are propagated", async () => {
    const given = acceptTrace(`00-${TRACE}-00f067aa0ba902b7-00`, "rojo=1") ?? "";
    const headers = await consult(given, new RecordingTracer());
    expect(headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(headers.tracestate).toBe("rojo=1");
  });

  it("when telemetry is off, then it has no trace", async () => {
    expect((await consult(TRACE)).traceparent).toBeUndefined();
  });
});
