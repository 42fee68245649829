import type { Command } from "../../protocol.ts";
import type { Entry, Said, Shown } from "../transcript.ts";

/** The command of the stop button. */
export const STOP = { name: "cancel", args: "answer" } as const;

/** The command of the rating buttons: `up`, `down` or `none`, the id of the reply, a comment. */
export const FEEDBACK = "feedback";

/** Commands of buttons whose effect is visible elsewhere. */
const isSilent = ({ command }: Said): boolean =>
  command?.name === FEEDBACK || (command?.name === STOP.name && command.args === STOP.args);

const isEmptyReply = ({ markdown, actions, activity, files }: Shown): boolean =>
  markdown.trim() === "" && !actions?.length && !activity && !files?.length;

/** The visible entries of a log: without stops and ratings, their answers and empty replies. */
export const shownEntries = (entries: readonly Entry[]): readonly Entry[] => {
  const silent = new Set(entries.flatMap(({ item }) => (item.type === "said" && isSilent(item) ? [item.id] : [])));
  return entries.filter(({ item }) =>
    item.type === "said" ? !silent.has(item.id) : !isEmptyReply(item) && !silent.has(item.correlationId ?? ""),
  );
};

/** Counts as unread: neither activity nor an empty reply. */
export const isMessage = ({ item }: Entry): boolean =>
  item.type !== "said" && (item.kind === "final" || item.kind === "notice") && !isEmptyReply(item);

export type Rating = "up" | "down";

/** The person's latest rating of each reply. */
export const ratingsIn = (commands: readonly (Pick<Command, "name" | "args"> | undefined)[]): Map<string, Rating> => {
  const ratings = new Map<string, Rating>();
  for (const command of commands) {
    const [, rating, id = ""] = command?.name === FEEDBACK ? (/^(\w+) (\S+)/.exec(command.args ?? "") ?? []) : [];
    if (rating === "up" || rating === "down") ratings.set(id, rating);
    else if (rating !== undefined) ratings.delete(id);
  }
  return ratings;
};
