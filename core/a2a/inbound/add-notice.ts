import { AppError } from "../../contract/app-error.ts";
import type { Bus } from "../../contract/bus.ts";
import type { Store } from "../../contract/store.ts";
import { subjectsOf } from "../../contract/subjects.ts";
import { cutToBytes } from "../../lib/index.ts";
import type { Notice, NoticeRecord } from "./notice-record.ts";
import { changeNotices } from "./notice-record.ts";

const MAX_NOTICE_BYTES = 4_000;
/** One message holds so many. */
export const MOST_TOLD = 60;

/** Keeps something for people until it is a good moment to tell them (A10). "too-large": nobody came to hear the others. */
export const addNotice = async (
  { bus, store }: { bus: Bus; store: Store },
  place: { readonly tenant: string; readonly agent: string },
  notice: Notice,
): Promise<void> => {
  const { tenant, agent } = place;
  try {
    await changeNotices(store, place, (record) => (isKnown(record, notice.id) ? record : withNotice(record, notice)));
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

/** More would not fit into one message: they are told at once, busy or not. */
export const isFull = ({ waiting }: Pick<NoticeRecord, "waiting">): boolean => waiting.length >= MOST_TOLD;
