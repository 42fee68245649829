import { callbackMatter } from "../a2a/callback-matter.ts";
import { lateMatter } from "../a2a/late-matter.ts";
import { wakeMatter } from "../a2a/wake-matter.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { readMatter } from "../subtasks/continuation-text.ts";
import type { Agent } from "../turns/agent.ts";
import type { CoreParts } from "../turns/turn.ts";
import { shownText } from "./shown-text.ts";

/** What a turn is about. */
export interface TurnMatter {
  /** What the model is shown. */
  readonly text: string;
  /** What people are told if the model has no answer; without it, why it has none. */
  readonly plain?: string;
  /** Silence is no answer to it. */
  readonly mustSpeak: boolean;
  /** There is nothing left to do. */
  readonly isMoot: boolean;
  /** Rounds of tool calls, if it gets fewer than its agent has. */
  readonly toolRounds?: number;
  /** The last touch to what people are told. */
  polish?(text: string): string;
}

export const turnMatter = async (parts: CoreParts, agent: Agent, message: UserMessage): Promise<TurnMatter> => {
  const { synthetic } = message;
  if (synthetic === undefined) return { text: shownText(message), mustSpeak: false, isMoot: false };
  if (synthetic.type === "task") return { text: message.text, mustSpeak: false, isMoot: false };
  const continuation = { ...message, synthetic };
  if (synthetic.type === "peer") return wakeMatter(agent, continuation);
  if (synthetic.type === "callback") return callbackMatter(parts, continuation);
  if (synthetic.type === "late") return lateMatter(parts, continuation);
  return readMatter(parts.store, continuation);
};
