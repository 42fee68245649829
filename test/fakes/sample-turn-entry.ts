import type { TurnEntry } from "../../core/sessions/session-window.ts";

export const sampleTurnEntry = (turnId: string): TurnEntry => ({
  kind: "turn",
  turnId,
  at: "2026-03-10T21:14:00.000Z",
  text: "hello",
  messages: [],
  finalText: "hi",
  outcome: "answered",
});
