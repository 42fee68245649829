import type { Capabilities } from "../../adapters/contract/channel-adapter.ts";
import type { Activity, ActivityItem, ActivityState } from "../../core/contract/activity.ts";

const MARKS: Record<ActivityState, string> = {
  pending: "·",
  running: "…",
  completed: "✓",
  failed: "✗",
  cancelled: "–",
};

/** The text of an activity entry. It is one message, so it is not split: what does not fit is left out, results first. */
export const activityText = (
  markdown: string,
  { title, items }: Activity,
  { maxPartLength = Number.POSITIVE_INFINITY, measure = (text) => text.length }: Partial<Capabilities> = {},
): string => {
  const ended = items.filter(({ state }) => ENDED.has(state)).length;
  const count = `${ended} of ${items.length} done`;
  const summary = `${title}: ${count}`;
  const forms = [markdown, [summary, ...items.map(lineOf)].join("\n"), summary];
  return forms.find((form) => form.trim() !== "" && measure(form) <= maxPartLength) ?? count;
};

const ENDED: ReadonlySet<ActivityState> = new Set(["completed", "failed", "cancelled"]);

const lineOf = ({ name, state }: ActivityItem): string => `${MARKS[state]} ${name}`;
