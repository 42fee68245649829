import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptTrace, foreignParent, isSampled, otelTraceId, traceHeaders } from "../../../core/lib/derived-ids.ts";
import { rootSpanId } from "../../../core/telemetry/message-spans.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const SENT = `00-${TRACE}-${PARENT}-01`;

describe("given the trace id of a piece of work", () => {
  it.each([
    ["digits alone", TRACE, TRACE],
    ["the spelling of a stable id", `trace-${TRACE}`, TRACE],
    ["a UUID", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", TRACE],
    ["a caller's trace", SENT, TRACE],
    ["a caller's trace with its state", `${SENT};rojo=1`, TRACE],
  ])("when it is %s, then OpenTelemetry has the same digits", (_, traceId, digits) => {
    expect(otelTraceId(traceId)).toBe(digits);
  });

  it("when it is anything else, then the same id always gives the same valid digits", () => {
    fc.assert(
      fc.property(fc.string(), (traceId) => {
        expect(otelTraceId(traceId)).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
        expect(otelTraceId(traceId)).toBe(otelTraceId(traceId));
        expect(rootSpanId(traceId)).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
    expect(otelTraceId("0".repeat(32))).not.toBe("0".repeat(32));
  });
});

describe("given a request of another agent", () => {
  it("when it has a trace, then the work joins it and propagates its state", () => {
    const traceId = acceptTrace(SENT, "rojo=1,congo=2") ?? "";
    expect(otelTraceId(traceId)).toBe(TRACE);
    expect(foreignParent(traceId)).toBe(PARENT);
    expect(rootSpanId(traceId)).not.toBe(rootSpanId(TRACE));
    expect(traceHeaders(traceId, "b7ad6b7169203331", true)).toEqual({
      traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
      tracestate: "rojo=1,congo=2",
    });
  });

  it("when it has a later version, then the known fields are used", () => {
    expect(acceptTrace(`cc-${TRACE}-${PARENT}-01-what-the-future-brings`, undefined)).toBe(SENT);
  });

  it.each([
    ["nothing", undefined],
    ["two headers", [SENT, SENT]],
    ["another version's length", `${SENT}-more`],
    ["the forbidden version", `ff-${TRACE}-${PARENT}-01`],
    ["no trace", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["no parent", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["capitals", SENT.toUpperCase()],
    ["too few digits", `00-${TRACE.slice(1)}-${PARENT}-01`],
    ["a line break", `${SENT}\nx: y`],
    ["something else", "'; drop table traces"],
  ])("when it has %s, then the trace is ignored", (_, traceparent) => {
    expect(acceptTrace(traceparent, "rojo=1")).toBeUndefined();
  });

  it.each([
    ["too long", "a=".padEnd(600, "x")],
    ["invalid in a header", "a=1\r\nx: y"],
    ["empty", "  "],
  ])("when its state is %s, then only the trace is used", (_, tracestate) => {
    expect(acceptTrace(SENT, tracestate)).toBe(SENT);
  });

  it("given any headers, then parsing does not throw, and accepted values can be sent again", () => {
    const part = (length: number) =>
      fc.string({ unit: fc.constantFrom(..."0af-Z;\n"), minLength: 0, maxLength: length });
    const sent = fc.oneof(
      fc.string(),
      fc.tuple(part(3), part(34), part(18), part(3)).map((parts) => parts.join("-")),
      fc.constant(SENT),
    );
    fc.assert(
      fc.property(sent, fc.string(), (traceparent, tracestate) => {
        const traceId = acceptTrace(traceparent, tracestate);
        if (traceId === undefined) return;
        const headers = traceHeaders(traceId, PARENT, false);
        expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
        expect(headers.tracestate ?? "").toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });
});

describe("given a sampling ratio", () => {
  it("then the decision depends on the trace id alone and matches the ratio approximately", () => {
    const ids = Array.from({ length: 2_000 }, (_, n) => `trace ${n}`);
    expect(ids.filter((id) => isSampled(id, 1))).toHaveLength(2_000);
    expect(ids.filter((id) => isSampled(id, 0))).toHaveLength(0);
    const some = ids.filter((id) => isSampled(id, 0.25)).length;
    expect(some).toBeGreaterThan(400);
    expect(some).toBeLessThan(600);
    expect(isSampled(SENT, 0.3)).toBe(isSampled(TRACE, 0.3));
  });
});
