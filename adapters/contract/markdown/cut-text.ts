const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A text of at most this many UTF-16 units, cut at a grapheme. */
export const cutToUnits = (text: string, units: number): string => {
  if (text.length <= units) return text;
  let kept = "";
  for (const { segment } of graphemes.segment(text)) {
    if (kept.length + segment.length >= units) break;
    kept += segment;
  }
  return `${kept}…`;
};
