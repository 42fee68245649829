import { AppError } from "../contract/app-error.ts";
import type { UserMessage } from "../contract/user-message.ts";
import type { Agent, TurnFeatures, TurnPrompt } from "../turns/index.ts";
import { shownText } from "./shown-text.ts";

/** The words of a person, of a task that starts by itself, or of the feature that made the message. */
export const turnPrompt = async (
  { sources }: TurnFeatures,
  agent: Agent,
  message: UserMessage,
): Promise<TurnPrompt> => {
  const { synthetic } = message;
  if (synthetic === undefined) return { text: shownText(message), mustReply: false, obsolete: false };
  if (synthetic.type === "task") return { text: message.text, mustReply: false, obsolete: false };
  const source = sources.find(({ types }) => types.includes(synthetic.type));
  if (source === undefined)
    throw new AppError("data-unusable", `no turn source takes messages of type ${synthetic.type}`);
  return source.prompt(agent, { ...message, synthetic });
};
