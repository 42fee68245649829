import { z } from "zod";
import { english, type Texts } from "../../contract/texts/texts.ts";
import { redactAddresses } from "../record/redact.ts";

type EndKey = keyof Texts["agents"]["ends"];

/** The end of a task for which Mooring has the text: its key, and the agent's own reason, if it gave one. */
export const TaskEnd = z.looseObject({ key: z.string(), reason: z.string().optional() });
export type TaskEnd = z.infer<typeof TaskEnd>;

const MAX_REASON_CHARS = 1_000;

/** The agent's reason may have addresses for its own operators. */
export const taskEnd = (key: EndKey, text = ""): TaskEnd => {
  const reason = redactAddresses(text.slice(0, MAX_REASON_CHARS)).trim();
  return { key, ...(reason !== "" && { reason }) };
};

/** Ends that the agent itself reports; their texts go on with its reason, or end here. */
const REPORTED: ReadonlySet<string> = new Set(["failed", "cancelled", "rejected", "sign-in"]);

/** Undefined: a newer process has written a key that this one does not know. */
export const endText = ({ key, reason }: TaskEnd, { agents }: Texts): string | undefined => {
  if (!Object.hasOwn(agents.ends, key)) return undefined;
  const rest = REPORTED.has(key) ? (reason === undefined ? "." : `: ${reason}`) : "";
  return agents.ends[key as EndKey](rest);
};

/** The stored fields of an end: the English text is for processes that know no keys. */
export const answerFields = (end: TaskEnd): { readonly answer: string; readonly end: TaskEnd } => ({
  answer: endText(end, english) ?? "",
  end,
});
