import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { UnsolicitedReply } from "../delivery/publish-reply.ts";
import { cutAtGraphemes } from "../origin/summarise-prompt.ts";
import { describeChanges } from "../workspaces/describe-changes.ts";
import type { Batch } from "./batch.ts";
import { listNames } from "./list-names.ts";
import { cancelAction, changeActions } from "./subtask-actions.ts";

const RESULT_CHARS = 300;

const signs: Readonly<Record<Subtask["status"], string>> = {
  pending: "waiting",
  running: "working",
  completed: "done",
  failed: "failed",
  cancelled: "cancelled",
};

/** The one entry that shows what a turn has delegated (B1); later ones replace earlier ones. */
export const activityReply = (
  batch: Batch,
  subtasks: readonly Subtask[],
  kind: "progress" | "completion",
  now: string,
): UnsolicitedReply => {
  const [first] = subtasks;
  const { turnId, sessionId, origin, audience, traceId } = batch;
  const revision = revisionOf(subtasks) + (kind === "completion" ? 1 : 0);
  const id = `${turnId}/activity`;
  const names = listNames(batch.members.map(({ name }) => name));
  const open = subtasks.filter((subtask) => !hasEnded(subtask));
  const changed = subtasks.filter((subtask) => changesOf(subtask) !== undefined);
  const actions = [
    ...open.map(cancelAction),
    ...changed.flatMap((subtask) => changeActions.map((action) => action(subtask))),
  ];
  const title = kind === "completion" ? `Worked on: ${names}` : `Working on: ${names}`;
  return {
    id: `${id}/${revision}`,
    tenant: first?.tenant ?? "",
    agent: first?.agent ?? "",
    sessionId,
    kind,
    markdown: [title, ...subtasks.map(lineOf)].join("\n"),
    ...(actions.length > 0 && { actions }),
    data: { activity: { id, revision, title, items: subtasks.map(itemOf) } },
    origin,
    audience,
    createdAt: kind === "completion" ? lastEnd(subtasks, now) : now,
    traceId,
  };
};

/** From the states alone, so that every process counts the same: each change makes it larger. */
const revisionOf = (subtasks: readonly Subtask[]): number =>
  subtasks.reduce((sum, subtask) => sum + 1 + stage(subtask) + subtask.notes, 0);

const stage = (subtask: Subtask): number => (hasEnded(subtask) ? 2 : subtask.status === "running" ? 1 : 0);

/** With its id as long as it can be cancelled by it, for channels without buttons. */
const lineOf = (subtask: Subtask): string => {
  const { id, name, status, note } = subtask;
  const changes = changesOf(subtask);
  const line = `- ${name}: ${signs[status]}${changes === undefined ? "" : `, ${changes}`}`;
  return hasEnded(subtask) ? line : `${line}${note === undefined ? "" : ` (${note})`} \`${id}\``;
};

const changesOf = ({ result }: Subtask): string | undefined =>
  result?.artifacts?.files ? describeChanges(result.artifacts) : undefined;

const itemOf = (subtask: Subtask) => {
  const { id, name, status, startedAt, completedAt, note, result } = subtask;
  const changes = changesOf(subtask);
  return {
    id,
    name,
    state: status,
    ...(changes !== undefined && { changes }),
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { endedAt: completedAt }),
    ...(note !== undefined && { note }),
    ...(result !== undefined && { result: cutAtGraphemes(shortResult(result), RESULT_CHARS) }),
  };
};

const shortResult = ({ output, error }: NonNullable<Subtask["result"]>): string =>
  (output.trim() || error || "").replace(/\s+/g, " ").trim();

const lastEnd = (subtasks: readonly Subtask[], now: string): string =>
  subtasks
    .flatMap(({ completedAt = [] }) => completedAt)
    .sort()
    .at(-1) ?? now;
