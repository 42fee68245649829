const storedBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
/** JSON needs six bytes for a control character. */
const MAX_BYTES_PER_CHAR = 6;

/** Truncates a text to at most `max` stored bytes, with a note of the original size. */
export const cutToBytes = (text: string, max: number): string => {
  if (text.length * MAX_BYTES_PER_CHAR + 2 <= max) return text;
  const bytes = storedBytes(text);
  if (bytes <= max) return text;
  const note = `\n[cut: ${kilobytes(bytes)} kB, only the beginning is shown]`;
  let kept = text.slice(0, Math.floor((text.length * max) / bytes));
  while (storedBytes(kept + note) > max) kept = kept.slice(0, Math.floor(kept.length * 0.9));
  return kept.replace(/[\uD800-\uDBFF]$/, "") + note;
};

const kilobytes = (bytes: number): number => Math.ceil(bytes / 1_000);
