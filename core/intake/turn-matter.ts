import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { readMatter } from "../subtasks/continuation-text.ts";
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
}

export const turnMatter = async (store: Store, message: UserMessage): Promise<TurnMatter> => {
  const { synthetic } = message;
  if (synthetic === undefined) return { text: shownText(message), mustSpeak: false, isMoot: false };
  if (synthetic.type === "task") return { text: message.text, mustSpeak: false, isMoot: false };
  return readMatter(store, { ...message, synthetic });
};
