import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../config/parse-config.ts";

const parse = (telemetry: string) =>
  parseConfig({
    file: "test.yaml",
    text: `agents: [{ name: mooring, model: demo }]\ntelemetry: ${telemetry}`,
    env: {},
  });

describe("given a telemetry section", () => {
  it("when it names a collector, then its headers are secrets, and all traces are sent", () => {
    const { telemetry } = parse('{ otlp: { url: "http://127.0.0.1:4318/v1/traces", headers: { x-api-key: k-1 } } }');
    expect(telemetry).toMatchObject({ sampleRatio: 1, serviceName: "mooring" });
    expect(telemetry.otlp?.headers["x-api-key"]?.reveal()).toBe("k-1");
    expect(JSON.stringify(telemetry)).not.toContain("k-1");
  });

  it("when it names no collector, then no traces are sent", () => {
    expect(parse("{}").telemetry.otlp).toBeUndefined();
  });

  it.each([
    ['{ otlp: { url: "collector:4318" } }', "telemetry.otlp.url"],
    ['{ otlp: { url: "http://c/v1", headers: { "a b": x } } }', "must be an HTTP header name"],
    ['{ otlp: { url: "http://c/v1", headers: { key: "x\\ny" } } }', "that HTTP headers do not allow"],
    ["{ sampleRatio: 2 }", "telemetry.sampleRatio"],
    ["{ endpoint: x }", "endpoint"],
  ])("when it is %s, then the problem says what is wrong", (telemetry, problem) => {
    expect(() => parse(telemetry)).toThrow(problem);
  });
});
