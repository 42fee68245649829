import { describe, expect, it } from "vitest";
import { readYaml } from "../../../config/read/read-yaml.ts";

describe("given text that is not YAML", () => {
  it.each([
    ["a missing quote", 'a: 1\nb: "x', 2, "a closing quote"],
    ["a missing bracket", "a: 1\nb: [x", 2, "bracket missing"],
    ["a tab", "a:\n\tb: 1", 2, "use spaces"],
    ["a repeated key", "a: 1\nb: 2\na: 3", 3, "duplicate key"],
    ["odd indentation", "a:\n  b: 1\n c: 2", 3, "indentation"],
    ["a value with a colon", "a: b: c", 1, "needs quotes"],
    ["a bad escape", 'a: "\\q"', 1, "single quotes"],
    ["two documents", "a: 1\n---\nb: 2", 2, "one document"],
    ["a tag", "a: !secret b", 1, "tags"],
    ["a reserved character", "a: @b", 1, "needs quotes"],
    ["a directive", "%FOO\n---\na: 1", 1, "%"],
    ["a list that becomes a map", "- a\nb: c", 2, "unexpected text"],
  ])("when there is %s, then the problem has its line and a fix", (_, text, line, message) => {
    const { problems } = readYaml(text);
    expect(problems[0]).toEqual({ path: [], line, message: expect.stringContaining(message) });
  });

  it("when one mistake causes further errors, then only that mistake is reported", () => {
    expect(readYaml("- a\nb: c\nd: e\nf: [g]").problems).toHaveLength(1);
  });
});

describe("given YAML with more than plain values", () => {
  it("when there is an alias, then it is refused and not followed", () => {
    expect(readYaml("a: &x [1]\nb: [*x, *x]").problems).toEqual([
      { path: ["b", 0], message: expect.stringContaining("write the value out") },
      { path: ["b", 1], message: expect.stringContaining("write the value out") },
    ]);
    expect(readYaml("a: &x [*x]").problems).toHaveLength(1);
  });

  it.each(["? [a, b]\n: c", "__proto__: 1", "? \n: c"])(
    "when a key is not plain text (%j), then it is refused",
    (text) => {
      expect(readYaml(text).problems).toEqual([{ path: [], message: expect.stringContaining("not plain text") }]);
    },
  );

  it("when a value with a comma has no quotes, then its remainder is neither read nor shown as a key", () => {
    expect(readYaml("a: { password: part, rest }").problems).toEqual([
      { path: ["a"], message: expect.stringMatching(/without a value.*quotes(?!.*rest)/) },
    ]);
    expect(readYaml("a: { b: , c: }\nd:").value).toEqual({ a: { b: null, c: null }, d: null });
  });

  it("when keys differ only in their type, then they are the same key", () => {
    expect(readYaml('1: a\n"1": b').problems).toEqual([
      { path: ["1"], message: expect.stringContaining("duplicate key") },
    ]);
  });

  it.each(["[", "{", "{a: ", "- ", "? ", "a: ", "[{"])(
    "when %j is repeated 100,000 times, then it is refused",
    (part) => {
      expect(readYaml(part.repeat(100_000)).problems).toEqual([
        { path: [], line: 1, message: "is nested too deep: flatten it" },
      ]);
    },
  );

  it("when it is indented too deep, then it is refused", () => {
    const text = Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n");
    expect(readYaml(text).problems[0]?.message).toBe("is nested too deep: flatten it");
  });
});

describe("given a path", () => {
  const { lineOf, value } = readYaml("\uFEFFa:\r\n  - b: 1\r\n  -\r\n    c: 2\r\nd: { e: x,\r\n f: y }\r\n");

  it("then its line is known; a missing path has the line of its nearest ancestor", () => {
    expect(value).toEqual({ a: [{ b: 1 }, { c: 2 }], d: { e: "x", f: "y" } });
    expect([["a"], ["a", 0, "b"], ["a", 1, "c"], ["d", "f"], ["a", 0, "zzz"], ["zzz"]].map(lineOf)).toEqual([
      1,
      2,
      4,
      6,
      2,
      undefined,
    ]);
  });
});
