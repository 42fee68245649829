import type { ActivityState } from "../contract/activity.ts";
import type { Subtask } from "../contract/subtask.ts";
import type { UnsolicitedReply } from "../delivery/index.ts";
import type { WorkItem } from "./activity-items.ts";
import type { Batch } from "./batch.ts";
import { listNames } from "./list-names.ts";

const signs: Readonly<Record<ActivityState, string>> = {
  pending: "waiting",
  running: "working",
  completed: "done",
  failed: "failed",
  cancelled: "cancelled",
};

/** The one entry that shows what a turn has delegated (B1); later ones replace earlier ones. */
export const activityReply = (
  { tenant, agent }: Pick<Subtask, "tenant" | "agent">,
  batch: Batch,
  work: readonly WorkItem[],
  kind: "progress" | "completion",
  now: string,
): UnsolicitedReply => {
  const { turnId, sessionId, origin, audience, traceId } = batch;
  // From the states alone, so that every process counts the same.
  const revision = work.reduce((sum, one) => sum + one.revision, kind === "completion" ? 1 : 0);
  const id = `${turnId}/activity`;
  const names = listNames([...batch.members, ...(batch.calls ?? [])].map(({ name }) => name));
  const actions = work.flatMap((one) => one.actions);
  const title = kind === "completion" ? `Worked on: ${names}` : `Working on: ${names}`;
  return {
    id: `${id}/${revision}`,
    tenant,
    agent,
    sessionId,
    kind,
    markdown: [title, ...work.map(lineOf)].join("\n"),
    ...(actions.length > 0 && { actions }),
    data: { activity: { id, revision, title, items: work.map(({ item }) => item) } },
    origin,
    audience,
    createdAt: kind === "completion" ? lastEnd(work, now) : now,
    traceId,
  };
};

/** With its id as long as something can be done about it, for channels without buttons. */
const lineOf = ({ item: { id, name, state, note, changes }, endedAt, actions }: WorkItem): string =>
  [
    `- ${name}: ${signs[state]}${changes === undefined ? "" : `, ${changes}`}`,
    ...(endedAt === undefined && note !== undefined ? [`(${note})`] : []),
    ...(actions.length === 0 ? [] : [`\`${id}\``]),
  ].join(" ");

const lastEnd = (work: readonly WorkItem[], now: string): string =>
  work
    .flatMap(({ endedAt = [] }) => endedAt)
    .sort()
    .at(-1) ?? now;
