import { elapsedText } from "../elapsed-text.ts";
import { useNow } from "./use-now.ts";

/** How long something takes, or took. */
export const Elapsed = ({ since, until }: { since: string; until: string | undefined }) => {
  const now = useNow(until === undefined ? 1_000 : undefined);
  const end = until === undefined ? now : Date.parse(until);
  return <span class="elapsed">{elapsedText(end - Date.parse(since))}</span>;
};
