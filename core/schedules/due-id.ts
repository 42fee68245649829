import type { ScheduleDue } from "../contract/schedule.ts";

export const dueId = ({ owner, id, dueAt }: Pick<ScheduleDue, "owner" | "id" | "dueAt">): string =>
  `${owner} ${id} ${dueAt}`;
