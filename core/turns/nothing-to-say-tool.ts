import { z } from "zod";
import type { Tool } from "../contract/tool.ts";
import type { StepResponse } from "../model/index.ts";
import type { Agent } from "./turn.ts";

export const NOTHING_TO_SAY = "nothing_to_say";

/** Silence is a tool, not a magic string (B7). */
export const nothingToSay: Tool = {
  name: NOTHING_TO_SAY,
  description:
    "Ends the turn without a message. Call it alone, and only if the person neither asked nor expects anything.",
  input: z.object({}),
  needs: "talk",
  repeatable: true,
  isForOwner: true,
  internal: true,
  run: async () => "Noted, but other tools were called with it. Call it alone to end without a message.",
};

/** Whether a response with tool calls ends the turn without a message. */
export const choosesSilence = ({ tools }: Agent, { toolCalls }: StepResponse): boolean =>
  tools.some(({ name }) => name === NOTHING_TO_SAY) &&
  toolCalls.every(({ name, invalid }) => name === NOTHING_TO_SAY && invalid === undefined);

/** For a turn that must reply. */
export const withoutSilence = (agent: Agent): Agent => ({
  ...agent,
  tools: agent.tools.filter(({ name }) => name !== NOTHING_TO_SAY),
});
