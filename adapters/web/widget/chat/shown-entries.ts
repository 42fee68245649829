import type { Entry, Said, Shown } from "../../client/transcript.ts";

/** The command of the stop button. */
export const STOP = { name: "cancel", args: "answer" } as const;

const isStop = ({ command }: Said): boolean => command?.name === STOP.name && command.args === STOP.args;

const isEmptyReply = ({ markdown, actions, activity, files }: Shown): boolean =>
  markdown.trim() === "" && !actions?.length && !activity && !files?.length;

/** The visible entries of a log: without stop commands, their answers and empty replies. */
export const shownEntries = (entries: readonly Entry[]): readonly Entry[] => {
  const stops = new Set(entries.flatMap(({ item }) => (item.type === "said" && isStop(item) ? [item.id] : [])));
  return entries.filter(({ item }) =>
    item.type === "said" ? !stops.has(item.id) : !isEmptyReply(item) && !stops.has(item.correlationId ?? ""),
  );
};

/** Counts as unread: neither activity nor an empty reply. */
export const isMessage = ({ item }: Entry): boolean =>
  item.type !== "said" && (item.kind === "final" || item.kind === "notice") && !isEmptyReply(item);
