import type { Entry, Transcript } from "../../client/transcript.ts";

/** The longest that an answer is worked on; who waits longer waits in vain. */
const LONGEST_MS = 15 * 60_000;

/** The message that an answer is being written to now, if there is one. */
export const waitingFor = (transcript: Transcript, now: number): string | undefined => {
  const { entries } = transcript;
  for (let at = entries.length - 1; at >= 0; at--) {
    const { item } = entries[at] as Entry;
    if (now - Date.parse(item.createdAt) > LONGEST_MS) return undefined;
    if (item.type !== "said" || item.command !== undefined) continue;
    return transcript.hasAnswered(item.id) ? undefined : item.id;
  }
  return undefined;
};
