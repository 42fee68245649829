import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_VALUE_BYTES } from "../../../core/contract/ports/store.ts";
import { fitEntry, type TurnEntry } from "../../../core/sessions/session-window.ts";

const entry = (rest: Partial<TurnEntry>): TurnEntry => ({
  kind: "turn",
  turnId: "t-1",
  at: "2026-03-10T21:14:00.000Z",
  text: "hello",
  messages: [],
  finalText: "hi",
  outcome: "answered",
  ...rest,
});
const toolRound = (output: string): TurnEntry["messages"] => [
  { role: "assistant", text: "", toolCalls: [{ id: "call-1", name: "look", input: {} }] },
  { role: "tool", results: [{ callId: "call-1", name: "look", output }] },
];

describe("given a turn to store", () => {
  it("when it has a usual size, then it is stored unchanged", () => {
    const usual = entry({ messages: toolRound("x".repeat(32_000)) });
    expect(fitEntry(usual)).toEqual(usual);
  });

  it("when tool outputs are too long, then they are shortened and every call keeps a result", () => {
    const messages = Array.from({ length: 20 }, () => toolRound("x".repeat(32_000))).flat();
    const fitted = fitEntry(entry({ messages }));
    expect(fitted.messages).toHaveLength(40);
    expect(fitted.text).toBe("hello");
    expect(JSON.stringify(fitted)).toContain("[31000 more characters were dropped]");
  });

  it("when everything has its maximum size, then the entry fits the store with the whole final text", () => {
    const sized = fc.record({
      text: fc.constantFrom("a", "ä", "€", "\u0001"),
      chars: fc.integer({ min: 0, max: 80_000 }),
      rounds: fc.integer({ min: 0, max: 30 }),
    });
    const property = fc.property(sized, ({ text, chars, rounds }) => {
      const finalText = "x".repeat(300_000);
      const messages = Array.from({ length: rounds }, () => toolRound(text.repeat(5_000))).flat();
      const fitted = fitEntry(entry({ text: text.repeat(chars), messages, finalText }));
      expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThan(MAX_VALUE_BYTES);
      expect(fitted.finalText).toBe(finalText);
    });
    fc.assert(property, { seed: 5, numRuns: 60 });
  });
});
