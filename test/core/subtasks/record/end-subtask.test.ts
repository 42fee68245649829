import { describe, expect, it } from "vitest";
import type { Subtask } from "../../../../core/contract/messages/subtask.ts";
import { MAX_VALUE_BYTES } from "../../../../core/contract/ports/store.ts";
import { withNote } from "../../../../core/subtasks/record/change-subtask.ts";
import { fitSubtask } from "../../../../core/subtasks/record/end-subtask.ts";

const NUL = "\u0000";
const subtask = (rest: Partial<Subtask> = {}): Subtask =>
  ({ id: "subtask-00000000", prompt: "do it", expectedOutput: "", status: "running", inbox: [], ...rest }) as Subtask;
const withNotes = (count: number, content: string): Subtask => {
  let changed = subtask();
  for (let n = 0; n < count; n++)
    changed = withNote(changed, { id: `${n}`, type: "answer", content, at: "2026-03-10T21:14:05Z" });
  return changed;
};
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe("given a subtask that gets very many notes", () => {
  it.each(["x", "難", NUL])(
    "when each note is all %j, then every note is stored, and half of the record is free",
    (sign) => {
      const { inbox } = withNotes(100, sign.repeat(8_000));
      expect(inbox).toHaveLength(100);
      expect(inbox[0]?.content).toBe(sign.repeat(8_000));
      expect(inbox.at(-1)?.content).toContain("[cut:");
      expect(bytesOf(inbox)).toBeLessThan(MAX_VALUE_BYTES / 2 + 50_000);
    },
  );

  it("when a note is repeated, then the subtask is unchanged", () => {
    const once = withNotes(1, "left");
    expect(withNote(once, { id: "0", type: "answer", content: "right", at: "2026-03-10T21:14:05Z" })).toBe(once);
  });
});

describe("given an end that is larger than the store accepts (S7)", () => {
  const result = { status: "success" as const, output: NUL.repeat(60_000), error: NUL.repeat(4_000) };

  it("when it is fitted, then the store accepts it, and its result is cut last", () => {
    const whole = { ...withNotes(100, NUL.repeat(8_000)), prompt: NUL.repeat(20_000), result };
    const fitted = fitSubtask(whole);
    expect(bytesOf(whole)).toBeGreaterThan(MAX_VALUE_BYTES);
    expect(bytesOf(fitted)).toBeLessThan(MAX_VALUE_BYTES);
    expect(fitted.inbox.map(({ id }) => id)).toEqual(whole.inbox.map(({ id }) => id));
    expect(fitted.result?.output.length).toBeGreaterThan(40_000);
  });

  it("when only the notes are too large, then its result is not cut", () => {
    const short = { status: "success" as const, output: "x".repeat(60_000), metadata: { pages: "x".repeat(200_000) } };
    const whole = { ...withNotes(100, NUL.repeat(8_000)), result: short };
    expect(fitSubtask({ ...whole, prompt: NUL.repeat(20_000) }).result).toEqual(short);
  });

  it("when the metadata alone are too large, then they are removed", () => {
    const huge = { status: "success" as const, output: "x", metadata: { pages: "x".repeat(MAX_VALUE_BYTES) } };
    expect(fitSubtask(subtask({ result: huge })).result).toEqual({ status: "success", output: "x" });
  });
});
