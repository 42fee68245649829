import type { AgentRef } from "../../contract/messages/addresses.ts";
import type { ActivityItem, ActivityState, ReplyAction } from "../../contract/messages/agent-reply.ts";
import { hasEnded, type Subtask } from "../../contract/messages/subtask.ts";
import type { Texts } from "../../contract/texts/texts.ts";
import type { UnsolicitedReply } from "../../delivery/index.ts";
import { cutAtGraphemes, listNames } from "../../lib/index.ts";
import { describeChanges } from "../../workspaces/index.ts";
import type { Batch } from "../owner/batch.ts";

const RESULT_CHARS = 300;

/** State of one call to another agent. */
export interface CallActivity {
  /** The item includes the whole result. */
  readonly item: ActivityItem;
  /** Counts for the revision; the item is "pending" while the peer of a running call is unreachable. */
  readonly state: ActivityState;
  readonly notes: number;
}

/** One line of the activity entry. */
interface WorkItem {
  readonly item: ActivityItem;
  /** Grows with every change, and is the same in every process. */
  readonly revision: number;
  readonly endedAt: string | undefined;
  /** Cancel while it runs; show, merge or discard its workspace changes afterwards. */
  readonly actions: readonly ReplyAction[];
}

const stages = { pending: 0, running: 1, completed: 2, failed: 2, cancelled: 2 } as const;

export const itemOfSubtask = (subtask: Subtask, texts: Texts): WorkItem => {
  const { id, name, status, startedAt, completedAt, note, notes, result } = subtask;
  const artifacts = result?.artifacts?.files ? result.artifacts : undefined;
  return {
    item: {
      id,
      name,
      state: status,
      ...(startedAt !== undefined && { startedAt }),
      ...(completedAt !== undefined && { endedAt: completedAt }),
      ...(note !== undefined && { note }),
      ...(result !== undefined && { result: shortResult(result.output.trim() || (result.error ?? "")) }),
      ...(artifacts && { changes: describeChanges(artifacts, texts) }),
    },
    revision: 1 + stages[status] + notes,
    endedAt: completedAt,
    actions: hasEnded(subtask)
      ? (artifacts ? changeActions : []).map((action) => action(subtask, texts))
      : [cancelAction(subtask, texts)],
  };
};

export const itemOfCall = ({ item, state, notes }: CallActivity): WorkItem => ({
  item: { ...item, ...(item.result !== undefined && { result: shortResult(item.result) }) },
  revision: 1 + stages[state] + notes,
  endedAt: item.endedAt,
  actions: [],
});

/** The entry with numbers instead of names, and without notes and results. */
export const withoutModelText = (
  batch: Batch,
  items: readonly WorkItem[],
  texts: Texts,
): { readonly batch: Batch; readonly items: WorkItem[] } => {
  const numbered = <T extends { readonly name: string }>(work: readonly T[], from: number): T[] =>
    work.map((one, index) => ({ ...one, name: texts.activity.task(from + index + 1) }));
  const { members, calls = [] } = batch;
  const named = [...numbered(members, 0), ...numbered(calls, members.length)];
  return {
    batch: { ...batch, members: numbered(members, 0), ...(batch.calls && { calls: numbered(calls, members.length) }) },
    items: items.map(({ item: { note: _, result: __, ...item }, actions, ...rest }) => {
      const name = named.find(({ id }) => id === item.id)?.name ?? texts.activity.task(1);
      return {
        ...rest,
        item: { ...item, name },
        actions: actions.map((one) => ({ ...one, label: labelOf(one.name, name, texts) })),
      };
    }),
  };
};

const shortResult = (text: string): string => cutAtGraphemes(text.replace(/\s+/g, " ").trim(), RESULT_CHARS);

/** Short enough for a button on every platform. */
const NAME_CHARS = 40;

const labelOf = (command: string, name: string, { cancel, workspace }: Texts): string => {
  if (command === "cancel") return cancel.button(name);
  if (command === "diff") return workspace.show(name);
  return command === "merge" ? workspace.merge(name) : workspace.discard(name);
};

const action =
  (name: "cancel" | "diff" | "merge" | "discard") =>
  (subtask: Pick<Subtask, "id" | "name">, texts: Texts): ReplyAction => ({
    name,
    label: labelOf(name, cutAtGraphemes(subtask.name, NAME_CHARS), texts),
    value: subtask.id,
  });

/** The button that cancels a subtask. */
export const cancelAction = action("cancel");

/** The buttons for the changes in a workspace (S12). */
const changeActions = [action("diff"), action("merge"), action("discard")] as const;

/** One state of the entry that shows the work a turn has delegated (B1). A higher revision replaces a lower one. */
export const activityReply = (
  { tenant, agent }: AgentRef,
  batch: Batch,
  work: readonly WorkItem[],
  kind: "progress" | "completion",
  now: string,
  texts: Texts,
): UnsolicitedReply => {
  const { turnId, sessionId, origin, audience, traceId } = batch;
  // Computed from the states alone, so that all processes get the same number.
  const revision = work.reduce((sum, one) => sum + one.revision, kind === "completion" ? 1 : 0);
  const id = `${turnId}/activity`;
  const names = listNames(
    [...batch.members, ...(batch.calls ?? [])].map(({ name }) => name),
    texts.activity.and,
  );
  const actions = work.flatMap((one) => one.actions);
  const title = kind === "completion" ? texts.activity.worked(names) : texts.activity.working(names);
  return {
    id: `${id}/${revision}`,
    tenant,
    agent,
    sessionId,
    kind,
    markdown: [title, ...work.map((item) => lineOf(item, texts))].join("\n"),
    ...(actions.length > 0 && { actions }),
    data: { activity: { id, revision, title, items: work.map(({ item }) => item) } },
    origin,
    audience,
    createdAt: kind === "completion" ? lastEnd(work, now) : now,
    traceId,
  };
};

/** Shows the id while there are actions, for channels without buttons. */
const lineOf = (
  { item: { id, name, state, note, changes }, endedAt, actions }: WorkItem,
  { activity }: Texts,
): string =>
  [
    `- ${name}: ${activity.states[state]}${changes === undefined ? "" : `, ${changes}`}`,
    ...(endedAt === undefined && note !== undefined ? [`(${note})`] : []),
    ...(actions.length === 0 ? [] : [`\`${id}\``]),
  ].join(" ");

const lastEnd = (work: readonly WorkItem[], now: string): string =>
  work
    .flatMap(({ endedAt = [] }) => endedAt)
    .sort()
    .at(-1) ?? now;
