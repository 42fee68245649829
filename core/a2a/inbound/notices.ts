import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { AgentRef } from "../../contract/messages/agent-ref.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { SyntheticMessage } from "../../contract/messages/user-message.ts";
import type { Bus } from "../../contract/ports/bus.ts";
import { collection, keyOf } from "../../contract/ports/collection.ts";
import type { Store } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import { cutToBytes } from "../../lib/index.ts";
import type { CoreDeps } from "../../turns/index.ts";
import type { InboundTask } from "./inbound-task.ts";

/** A notice for people that came from the work for a calling agent (A10). */
export const Notice = z.looseObject({
  /** Deduplicates repeats. */
  id: z.string(),
  taskId: z.string(),
  /** "caller · skill". */
  title: z.string(),
  text: z.string(),
  at: z.iso.datetime(),
});
export type Notice = z.infer<typeof Notice>;

/** All notices of an agent. `sending` is fixed before the post, so that every retry posts the same text. */
const NoticeRecord = z.looseObject({
  waiting: z.array(Notice),
  sending: z.array(Notice),
  /** Ids of the notices that were posted last. */
  sent: z.array(z.string()),
});
type NoticeRecord = z.infer<typeof NoticeRecord>;

const notices = collection("a2a-notices", NoticeRecord);

const EMPTY: NoticeRecord = { waiting: [], sending: [], sent: [] };

/** Resolves to the stored record; if `change` returns the same object, nothing is written. */
export const changeNotices = async (
  store: Store,
  { tenant, agent }: AgentRef,
  change: (record: NoticeRecord) => NoticeRecord,
): Promise<NoticeRecord> => {
  const { after } = await update(store, keyOf(notices, tenant, agent), change, { initial: EMPTY });
  return after;
};

const MAX_NOTICE_BYTES = 4_000;
/** Limit for one message. */
export const MAX_NOTICES = 60;

/** Stores a notice until the people's conversation is idle (A10). Throws "too-large" if too many notices wait. */
export const addNotice = async (
  { bus, store }: { bus: Bus; store: Store },
  self: AgentRef,
  notice: Notice,
): Promise<void> => {
  const { tenant, agent } = self;
  try {
    await changeNotices(store, self, (record) => (isKnown(record, notice.id) ? record : withNotice(record, notice)));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "too-large") throw error;
    throw new AppError("too-large", "So much waits for people already that no more is kept for them.");
  }
  const subject = subjectsOf(tenant).a2aNotices(agent);
  await bus.publish(subject, { tenant, agent }, { id: `${agent}/${notice.id}`, key: agent });
};

const isKnown = ({ waiting, sending, sent }: NoticeRecord, id: string): boolean =>
  sent.includes(id) || [...waiting, ...sending].some((known) => known.id === id);

const withNotice = (record: NoticeRecord, notice: Notice): NoticeRecord => ({
  ...record,
  waiting: [...record.waiting, { ...notice, text: cutToBytes(notice.text, MAX_NOTICE_BYTES) }],
});

/** More would not fit into one message, so the notices are posted without waiting for an idle moment. */
export const isFull = ({ waiting }: Pick<NoticeRecord, "waiting">): boolean => waiting.length >= MAX_NOTICES;

/** Adds a notice about an answer if people follow its skill (A10). Idempotent. */
export const addAnswerNotice = async (
  deps: Pick<CoreDeps, "bus" | "store" | "logger">,
  { synthetic }: SyntheticMessage,
  task: InboundTask,
  toldSkills: readonly string[],
): Promise<void> => {
  const { id, skill, state, answer, createdAt } = task;
  if (state !== "completed" || !answer || skill === undefined || !toldSkills.includes(skill)) return;
  const title = synthetic.origin.promptSummary;
  try {
    await addNotice(deps, task, { id, taskId: id, title, text: answer, at: createdAt });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "too-large") throw error;
    // The caller has its answer, so a full notice list must not fail the task.
    deps.logger.warn({ task: id, why: error.message }, "could not add notice about an answer");
  }
};
