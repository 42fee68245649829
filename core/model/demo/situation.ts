import type { StepRequest, ToolResult } from "../step.ts";

/** The input of a rule. */
export interface Situation {
  /** The latest message of the person. */
  readonly text: string;
  /** No person wrote it: its time has come. */
  readonly isScheduled: boolean;
  /** Results of the calls made since that message, oldest first. */
  readonly results: readonly ToolResult[];
  /** Nothing has been answered in this session yet. */
  readonly isFirst: boolean;
  offers(tool: string): boolean;
}

/** The rules read no further: some of their patterns take time that grows with the square of the length. */
const LONGEST_TEXT = 4_000;

/** How the message of a schedule's run begins. */
const SCHEDULED = /^Scheduled task ".*":\n\n/;
/** How the message of another agent begins. */
const FROM_AGENT = /^\[message from the agent \S+\] .*\n\n/;

export const situationOf = ({ messages, tools, toolChoice }: StepRequest): Situation => {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const latest = messages[at];
  const offered = new Set(toolChoice === "none" ? [] : tools.map(({ name }) => name));
  const text = latest?.role === "user" ? latest.text.slice(0, LONGEST_TEXT).trim() : "";
  return {
    text: text.replace(SCHEDULED, "").replace(FROM_AGENT, ""),
    isScheduled: SCHEDULED.test(text),
    results: messages.slice(at + 1).flatMap((message) => (message.role === "tool" ? message.results : [])),
    isFirst:
      !SCHEDULED.test(text) &&
      !FROM_AGENT.test(text) &&
      !messages.slice(0, Math.max(at, 0)).some(({ role, text }) => role === "assistant" && text !== ""),
    offers: (tool) => offered.has(tool),
  };
};
