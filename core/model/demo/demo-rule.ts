import type { StepRequest, ToolDescription, ToolResult } from "../step.ts";

/** A skill of the demo model. The first rule that answers decides the step. */
export interface DemoRule {
  /** One line for "what can you do?"; undefined if the skill is unavailable or not worth listing. */
  skill(situation: Situation): string | undefined;
  /** Called again with the results of its calls. Undefined: the rule does not apply. */
  respond(situation: Situation): DemoAnswer | undefined;
}

export type DemoAnswer =
  | { readonly text: string }
  | {
      readonly call: readonly DemoCall[];
      /** The call takes some time, to make it visible. */
      readonly isWork?: true;
    };

export interface DemoCall {
  readonly name: StepRequest["tools"][number]["name"];
  readonly input: Readonly<Record<string, unknown>>;
}

/** The input of a rule. */
export interface Situation {
  /** The latest message of the person. */
  readonly text: string;
  /** The message is the run of a schedule. */
  readonly isScheduled: boolean;
  /** Results of the calls made since that message, oldest first. */
  readonly results: readonly ToolResult[];
  /** The session has no answer yet. */
  readonly isFirst: boolean;
  offers(tool: string): boolean;
  /** The offered tools. */
  readonly tools: readonly ToolDescription[];
}

/** Some patterns of the rules take quadratic time. */
const MAX_TEXT_CHARS = 4_000;

/** The title of a scheduled run. */
const SCHEDULED = /^Scheduled task ".*":\n\n/;
/** Entries of the lasting memory behind the person's words. */
const MEMORY = /\n\n\[memory\] [\s\S]*\[end of memory\]$/;
/** The header of a message from another agent. */
const FROM_AGENT = /^\[message from the agent \S+\] .*\n\n/;

export const situationOf = ({ messages, tools, toolChoice }: StepRequest): Situation => {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const latest = messages[at];
  const offered = new Set(toolChoice === "none" ? [] : tools.map(({ name }) => name));
  const text = latest?.role === "user" ? latest.text.replace(MEMORY, "").slice(0, MAX_TEXT_CHARS).trim() : "";
  return {
    text: text.replace(SCHEDULED, "").replace(FROM_AGENT, ""),
    isScheduled: SCHEDULED.test(text),
    results: messages.slice(at + 1).flatMap((message) => (message.role === "tool" ? message.results : [])),
    isFirst:
      !SCHEDULED.test(text) &&
      !FROM_AGENT.test(text) &&
      !messages.slice(0, Math.max(at, 0)).some(({ role, text }) => role === "assistant" && text !== ""),
    offers: (tool) => offered.has(tool),
    tools: toolChoice === "none" ? [] : tools,
  };
};
