import type { ConversationAddress, Delivery, Trace } from "../../admin-api/index.ts";

type Turn = Trace["turns"][number];
type Subtask = Trace["subtasks"][number];
type Step = Turn["steps"][number];
type Hop = Trace["hops"][number];

/** One line; `depth` indents the lines that follow from it. */
interface Line {
  readonly at?: string | undefined;
  readonly depth: number;
  readonly text: string;
}

/** Formats a trace: turns in order, each with its steps, subtasks, messages to other agents and deliveries. */
export const timeline = (trace: Trace): string => {
  const { traceId, agent, state, origin, asker, conversation, turns } = trace;
  const head = [
    `Trace ${traceId}, ${state}`,
    `${agent}, asked by ${asker.name} in ${conversationText(conversation)}: ${origin.promptSummary}`,
  ];
  const lines = turns.flatMap((turn) => turnLines(trace, turn)).map(lineText);
  return `${printable([...head, "", ...lines].join("\n"))}\n`;
};

const turnLines = (trace: Trace, turn: Turn): Line[] => {
  const { turnId, messageId, trigger, command, openedAt, endedAt, outcome = "running", steps, subtasks, reply } = turn;
  const by = turn.model === undefined ? "" : ` by ${turn.model}`;
  const whose = turn.agent === trace.agent ? "" : ` of ${turn.agent}`;
  const what = command === undefined ? trigger : `command ${command}`;
  return [
    {
      at: openedAt,
      depth: 0,
      text: `turn ${turnId}${whose}, ${what}: ${outcome}${by}${durationText(openedAt, endedAt)}`,
    },
    { depth: 1, text: `message ${messageId}` },
    ...steps.map((step) => stepLine(step, 1)),
    ...trace.subtasks.filter(({ id }) => subtasks.includes(id)).flatMap((subtask) => subtaskLines(trace, subtask, 1)),
    ...trace.hops.filter((hop) => hop.turnId === turnId).map((hop) => hopLine(hop, 1)),
    ...(reply ? [{ depth: 1, text: `reply ${reply.replyId}` }, ...reply.deliveries.map(deliveryLine)] : []),
  ];
};

const subtaskLines = (trace: Trace, subtask: Subtask, depth: number): Line[] => {
  const { id, name, status, result, createdAt, completedAt, steps } = subtask;
  const how = result === undefined || result === "success" ? status : `${status} (${result})`;
  return [
    { at: createdAt, depth, text: `${id}, ${name}: ${how}${durationText(createdAt, completedAt)}` },
    ...steps.map((step) => stepLine(step, depth + 1)),
    ...trace.hops.filter((hop) => hop.subtask === id).map((hop) => hopLine(hop, depth + 1)),
    ...trace.subtasks.filter(({ parent }) => parent === id).flatMap((own) => subtaskLines(trace, own, depth + 1)),
  ];
};

const stepLine = ({ step, calls, inputTokens, outputTokens, model }: Step, depth: number): Line => ({
  depth,
  text: `step ${step}${model === undefined ? "" : ` by ${model}`}, ${inputTokens} tokens read, ${outputTokens} written: ${calls.map(callText).join(", ")}`,
});

const callText = ({ name, state, approval, durationMs }: Step["calls"][number]): string => {
  const mark = approval ?? (state === "done" ? undefined : state);
  const notes = [...(mark === undefined ? [] : [mark]), ...(durationMs === undefined ? [] : [`${durationMs} ms`])];
  return notes.length === 0 ? name : `${name} (${notes.join(", ")})`;
};

const hopLine = ({ id, peer, mode, state, createdAt, endedAt, remoteTask, error }: Hop, depth: number): Line => ({
  at: createdAt,
  depth,
  text: [
    `${id} to ${peer}, ${mode}: ${state}${durationText(createdAt, endedAt)}`,
    ...(remoteTask === undefined ? [] : [`as task ${remoteTask} there`]),
    ...(error === undefined ? [] : [`(${error})`]),
  ].join(" "),
});

const deliveryLine = ({ conversation, part, state, at, messageId, reason }: Delivery): Line => ({
  at,
  depth: 2,
  text: [
    `${conversationText(conversation)}${part === 0 ? "" : `, part ${part + 1}`}: ${state}`,
    ...(messageId === undefined ? [] : [`as ${messageId}`]),
    ...(reason === undefined ? [] : [`(${reason})`]),
  ].join(" "),
});

const conversationText = ({ channel, workspace, room, thread }: ConversationAddress): string =>
  [channel, workspace, room, thread].filter((part) => part !== undefined).join(" / ");

const durationText = (from: string, to: string | undefined): string => {
  const ms = to === undefined ? Number.NaN : Date.parse(to) - Date.parse(from);
  return Number.isNaN(ms) ? "" : ` after ${(ms / 1_000).toFixed(1)} s`;
};

const CLOCK_WIDTH = "2026-11-16 09:00:00.000".length;

const lineText = ({ at, depth, text }: Line): string => {
  const clock = at === undefined ? "" : at.replace("T", " ").replace(/Z$/, "");
  return `${clock.padEnd(CLOCK_WIDTH)}  ${"  ".repeat(depth)}${text}`;
};

/** Removes control characters: names in a trace must not move the cursor, change colours or hide text. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu, "");
