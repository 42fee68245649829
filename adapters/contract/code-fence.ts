/** The code fence that a text leaves open at its end. */
export interface OpenFence {
  /** What closes it. */
  readonly marker: string;
  /** The line that opens it again in the next part. */
  readonly reopen: string;
}

/** Longer runs than this are ornaments: to close and reopen them would fill a part. */
const LONGEST_MARKER = 16;
const LONGEST_LANGUAGE = 32;
const FENCE_LINE = new RegExp(`^ {0,3}(\`{3,${LONGEST_MARKER}}(?!\`)|~{3,${LONGEST_MARKER}}(?!~))([^\\n]*)$`, "gm");

/** The most that reopening and closing add to a part. */
export const REOPENING_ROOM = LONGEST_MARKER + LONGEST_LANGUAGE + 1;
export const CLOSING_ROOM = 1 + LONGEST_MARKER;

/** Follows CommonMark: a fence is closed by a line of the same sign, at least as long, with nothing after it. */
export const openFenceAt = (text: string): OpenFence | undefined => {
  let open: OpenFence | undefined;
  for (const [, marker = "", info = ""] of text.matchAll(FENCE_LINE)) {
    if (open === undefined) {
      if (marker.startsWith("`") && info.includes("`")) continue;
      open = { marker, reopen: `${marker}${languageOf(info)}` };
    } else if (marker.startsWith(open.marker) && info.trim() === "") {
      open = undefined;
    }
  }
  return open;
};

export const withFenceClosed = (text: string): string => {
  const fence = openFenceAt(text);
  if (fence === undefined) return text;
  return text.endsWith("\n") ? `${text}${fence.marker}` : `${text}\n${fence.marker}`;
};

const languageOf = (info: string): string => {
  const [language = ""] = info.trim().split(/\s/, 1);
  return language.length <= LONGEST_LANGUAGE ? language : "";
};
