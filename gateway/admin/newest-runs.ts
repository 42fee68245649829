import type { Store } from "../../core/contract/store.ts";
import { runsOf, type Schedule, type ScheduleRun } from "../../core/schedules/index.ts";
import { badCursor, type Page, type PageQuery } from "./page.ts";
import { readRef, refOf } from "./ref.ts";

/** The runs of a schedule by when they began, the newest first. All are read: those of a month, one a minute at most. */
export const newestRuns = async (
  store: Store,
  schedule: Schedule,
  { limit, after }: PageQuery,
): Promise<Page<ScheduleRun>> => {
  const before = after === undefined ? undefined : placeIn(after);
  const found: ScheduleRun[] = [];
  for await (const { value } of store.list(runsOf(schedule))) {
    if (before === undefined || placeOf(value) < before) found.push(value);
  }
  found.sort((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1));
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(last && found.length > limit && { next: refOf(placeOf(last)) }) };
};

/** Some begin at the same time. */
const placeOf = ({ firedAt, name }: ScheduleRun): string => `${firedAt} ${name}`;

const placeIn = (after: string): string => {
  const [place] = readRef(after) ?? [];
  if (place === undefined) throw badCursor();
  return place;
};
