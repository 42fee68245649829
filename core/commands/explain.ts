import { peerSessionOf, readCall, unreachableNote } from "../a2a/index.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import type { ReplyCause } from "../contract/messages/agent-reply.ts";
import type { Conversation } from "../contract/messages/conversation.ts";
import { sameConversation } from "../contract/messages/conversation.ts";
import type { Store } from "../contract/ports/store.ts";
import type { ViewerTime } from "../contract/relative-time.ts";
import { relativeTime } from "../contract/relative-time.ts";
import { cutAtGraphemes, maskSecrets } from "../lib/index.ts";
import { channelLabel, clockTime, type PlacedReply } from "../origin/index.ts";
import { outcomeOf, readOwner, readSubtask } from "../subtasks/index.ts";

/** A step of the work with its own sub-steps. */
export interface WorkTree {
  /** "subtask", "peer", "schedule" or a kind of a newer version. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  /** Undefined if it is no longer stored. */
  readonly outcome: string | undefined;
  readonly steps: readonly WorkTree[];
}

export interface Explained {
  readonly reply: PlacedReply;
  /** The prompt that started the work, if it is still stored; for a schedule, the text below its title. */
  readonly asked: string | undefined;
  readonly work: readonly WorkTree[];
  /** The conversations that show it and that the reader may know. */
  readonly conversations: readonly Conversation[];
}

/** Explains a proactive message to the person who asks (O13). */
export const explain = ({ reply, asked, work, conversations }: Explained, viewer: ViewerTime, now: number): string => {
  const { origin, cause, audience } = reply;
  const started = Date.parse(origin.startedAt);
  const when = `${clockTime(started, now, viewer)} (${relativeTime(started, now, viewer)})`;
  const isPersons = SOURCES[origin.channel] === undefined;
  const title = origin.promptSummary;
  const prompt =
    asked === undefined ? title : cutAtGraphemes(oneLine(maskSecrets(asked.slice(0, MAX_READ_CHARS))), MAX_ASKED_CHARS);
  const by = isPersons && cause !== undefined ? ` by ${oneLine(cause.asker.name)}` : "";
  const source = SOURCES[origin.channel] ?? `asked${by} in ${channelLabel(origin.channel)}`;
  const link = origin.link !== undefined && /^https?:\/\/[^\s()<>]+$/.test(origin.link) ? origin.link : undefined;
  const shown = conversations.map((shownIn) => conversationText(shownIn, audience.conversation));
  return [
    isPersons
      ? `**What was asked:** “${prompt}”, ${source}, ${when}.`
      : `**What it is about:** “${title}”, ${source}, ${when}.${prompt === title ? "" : ` It says: “${prompt}”.`}`,
    `**Why now:** ${TRIGGERS[cause?.trigger ?? ""] ?? "I was working in the background, and this is the result"}.`,
    ...(work.length === 0 ? [] : ["**What was done:**", ...workLines(work)]),
    ...(shown.length === 0 ? [] : [`**Shown in:** ${shown.join(", ")}.`]),
    ...(link === undefined ? [] : [`[Go to the first message](${link})`]),
  ].join("\n");
};

const MAX_ASKED_CHARS = 400;
/** Characters of a prompt that are masked and cut. */
const MAX_READ_CHARS = 4_000;
const MAX_LINES = 40;

const SOURCES: Readonly<Record<string, string>> = {
  scheduled: "on a schedule",
  "a2a-inbound": "from another agent",
};

const TRIGGERS: Readonly<Record<string, string>> = {
  synthesis: "all delegated work had finished",
  amendment: "another result came after the first answer",
  "wake-up": "delegated work had an update",
  task: "it was due",
  inbound: "other agents sent messages, and you were not busy",
  callback: "another agent had answered",
  late: "another agent answered after the work had ended",
};

const workLines = (work: readonly WorkTree[]): string[] => {
  const lines = work.flatMap((step) => stepLines(step, 0));
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `- and ${more} more`] : lines;
};

const stepLines = ({ kind, id, name, outcome, steps }: WorkTree, depth: number): string[] => {
  const what = kind === "subtask" || kind === "peer" ? oneLine(name) : `${kind} \`${id}\`: ${oneLine(name)}`;
  const line = outcome === undefined ? what : `${what}: ${outcome}`;
  return [`${"  ".repeat(depth)}- ${line}`, ...steps.flatMap((step) => stepLines(step, depth + 1))];
};

const conversationText = (shownIn: Conversation, origin: Conversation): string => {
  const what = sameConversation(shownIn, origin) ? "where it began" : shownIn.kind === "private" ? "private" : "a room";
  return `${channelLabel(shownIn.channel)} (${what})`;
};

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

type Step = ReplyCause["steps"][number];

/** The steps behind an answer (O13). Unknown kinds of steps keep their name. */
export const workTree = (store: Store, ref: AgentRef, steps: readonly Step[]): Promise<WorkTree[]> =>
  Promise.all(
    steps.map((step) => {
      if (step.kind === "subtask") return subtaskTree(store, ref, step);
      return step.kind === "peer" ? peerTree(store, ref, step) : plain(step);
    }),
  );

const plain = ({ kind, id, name }: Step): WorkTree => ({ kind, id, name, outcome: undefined, steps: [] });

const subtaskTree = async (store: Store, ref: AgentRef, step: Step): Promise<WorkTree> => {
  const { tenant, agent } = ref;
  const [subtask, { batches }] = await Promise.all([
    readSubtask(store, { tenant, agent, id: step.id }),
    readOwner(store, { tenant, agent, ownerId: step.id }),
  ]);
  if (subtask === undefined) return plain(step);
  const steps = await workTree(store, ref, stepsOf(Object.values(batches)));
  return { ...plain(step), outcome: outcomeOf(false, subtask), steps };
};

type OwnerRecord = Awaited<ReturnType<typeof readOwner>>;

const stepsOf = (batches: readonly OwnerRecord["batches"][string][]): Step[] =>
  batches.flatMap(({ members, calls = [] }) => [
    ...members.map(({ id, name }) => ({ kind: "subtask", id, name })),
    ...calls.map(({ id, name }) => ({ kind: "peer", id, name })),
  ]);

/** A call to another agent, with the work that this agent delegated, if it runs in the same deployment. */
const peerTree = async (store: Store, { tenant, agent }: AgentRef, step: Step): Promise<WorkTree> => {
  const call = await readCall(store, { tenant, agent, id: step.id });
  if (call === undefined) return plain(step);
  const outcome = { open: unreachableNote(call) ?? "no answer yet", answered: "answered", failed: "failed" }[
    call.state
  ];
  const there = { tenant, agent: call.peer };
  const { batches } = await readOwner(store, { ...there, ownerId: peerSessionOf(call) });
  const own = Object.values(batches).filter((batch) => batch.standing.owner.worksFor?.id === call.id);
  return { ...plain(step), outcome, steps: await workTree(store, there, stepsOf(own)) };
};
