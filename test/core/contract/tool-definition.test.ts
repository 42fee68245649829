import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type ToolCall, toolProblems } from "../../../core/contract/tool-definition.ts";

const double = defineTool({
  name: "double",
  description: "Doubles a number.",
  input: z.object({ value: z.string().transform(Number) }),
  run: async ({ value }) => String(value * 2),
});

const call: ToolCall = {
  signal: new AbortController().signal,
  idempotencyKey: "call-1",
  agent: "mooring",
  tenant: "default",
  conversation: { channel: "web", kind: "private" },
  progress: () => undefined,
};

describe("given a tool that a module defines (T1)", () => {
  it("when it is read, then it has the version of the contract and no problem", async () => {
    expect(double.contract).toBe(1);
    expect(toolProblems(double)).toEqual([]);
    expect(await double.run(double.input.parse({ value: "21" }), call)).toBe("42");
  });

  it("when it was made for another version, then only the version is reported", () => {
    expect(toolProblems({ ...double, contract: 2, name: "" })).toEqual([
      "was made for version 2 of the tool contract; this release has version 1",
    ]);
  });

  it.each([
    ["no object", "double", /is not a tool/],
    ["null", null, /is not a tool/],
    ["a plain object", { name: "double" }, /has no "contract"/],
    ["a name with a space", { ...double, name: "my tool" }, /^"name" must/],
    ["an empty name", { ...double, name: "" }, /^"name" must/],
    ["a long name", { ...double, name: "a".repeat(65) }, /^"name" must/],
    ["no description", { ...double, description: " " }, /^"description" must/],
    ["a JSON schema as input", { ...double, input: { type: "object" } }, /^"input" must/],
    ["an unknown approval", { ...double, approval: "always" }, /^"approval" must/],
    ["a flag that is a text", { ...double, repeatable: "yes" }, /^"repeatable" must/],
    ["a time limit of zero", { ...double, timeoutMs: 0 }, /^"timeoutMs" must/],
    ["no function", { ...double, run: "run" }, /^"run" must/],
  ])("when an export is wrong: %s, then the problem says what must change", (_, exported, problem) => {
    const problems = toolProblems(exported);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});
