import { channelLabel } from "../origin/index.ts";
import { failureInWords } from "./failure-in-words.ts";
import type { GoneMatter } from "./gone-matter.ts";

/** What people are told about a result that cannot get where it was to go; outsiders not whose it is, nor what about (D3). */
export const goneWords = (matter: GoneMatter, isTheirs: boolean): string => {
  const { id, audience, reason, instead, tried } = matter;
  const mayKnow = isTheirs || (audience?.personId ?? null) === null;
  const [place] = tried;
  const where = place === undefined ? "" : ` on ${channelLabel(place.channel)}`;
  const why = failureInWords(reason);
  return [
    `The result of ${mayKnow ? named(matter) : unnamed(matter)} does not reach its place${where}: ${why}.`,
    ...(isTheirs
      ? [instead].filter((words) => words !== "")
      : ["Whoever runs this service finds it among the dead letters, if it was sent."]),
    ...(isTheirs && id !== undefined ? [`To end it, write \`schedules cancel ${id}\`.`] : []),
  ].join(" ");
};

const named = ({ kind, title }: GoneMatter): string =>
  kind === "scheduled" ? `the schedule “${title}”` : `“${title}”, which another agent asked for,`;

const unnamed = ({ kind, id }: GoneMatter): string =>
  kind === "scheduled" ? `somebody's schedule${id === undefined ? "" : ` (${id})`}` : "work for another agent";
