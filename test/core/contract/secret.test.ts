import { inspect } from "node:util";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { Secret, secret } from "../../../core/contract/secret.ts";

const hidden = new Secret("hunter2");

describe("given a secret", () => {
  it.each([
    ["as text", () => `${hidden} ${String(hidden)}`],
    ["as JSON", () => JSON.stringify({ deep: [hidden] })],
    ["inspected", () => inspect({ deep: { hidden } }, { showHidden: true, depth: null })],
    ["by its own properties", () => JSON.stringify([Object.entries(hidden), { ...hidden }])],
    ["in an error", () => String(new Error("failed", { cause: hidden }).cause)],
  ])("when it is printed %s, then its value is hidden", (_, show) => {
    expect(show()).not.toContain("hunter2");
  });

  it("when it is logged, then the line has a placeholder", () => {
    const lines: string[] = [];
    pino({}, { write: (line: string) => lines.push(line) }).info({ config: { hidden } }, "started");
    expect(JSON.parse(lines.join(""))).toMatchObject({ config: { hidden: "[secret]" } });
  });

  it("then only reveal() returns the value, and it cannot be changed", () => {
    expect(hidden.reveal()).toBe("hunter2");
    expect(Object.isFrozen(hidden)).toBe(true);
  });
});

describe("given the schema of a secret", () => {
  it("when text is parsed, then it becomes a Secret, or is rejected below the minimum length", () => {
    const parsed = secret({ minLength: 7 }).parse("hunter2");
    expect(parsed).toBeInstanceOf(Secret);
    expect(parsed.reveal()).toBe("hunter2");
    expect(secret({ minLength: 8 }).safeParse("hunter2").error?.issues[0]?.message).toBe(
      "must have at least 8 characters",
    );
    expect(secret().safeParse("").error?.issues[0]?.message).toBe("must not be empty");
  });
});
