import type { TurnHook, TurnSource } from "../turns/index.ts";
import { announce } from "./announce.ts";
import { continuationPrompt } from "./continuation-prompt.ts";
import { sealTurn } from "./seal-turn.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

/** Turns about results and questions of subtasks. */
export const subtaskTurns = ({ store }: SubtaskParts): TurnSource => ({
  types: ["synthesis", "amendment", "wake-up"],
  prompt: (_, message) => continuationPrompt(store, message),
});

/** Any turn may delegate: its end says what is under way, and seals its batch. */
export const delegationHook = (parts: SubtaskParts): TurnHook => ({
  finish: (agent, record, end) => announce(parts.store, agent, record, end),
  async onEnd({ agent, record, entry, isDeadLetter }) {
    if (record && (isDeadLetter || entry?.delegated)) await sealTurn(parts, agent, record, entry?.outcome);
  },
});
