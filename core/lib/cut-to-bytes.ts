const storedBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
/** JSON spells a control character with six bytes. */
const MOST_BYTES_PER_CHAR = 6;

/** The beginning of a text that takes at most `max` bytes once stored, with a note of what is missing. */
export const cutToBytes = (text: string, max: number): string => {
  if (text.length * MOST_BYTES_PER_CHAR + 2 <= max) return text;
  const bytes = storedBytes(text);
  if (bytes <= max) return text;
  const note = `\n[cut: ${kilobytes(bytes)} kB, only the beginning is shown]`;
  let kept = text.slice(0, Math.floor((text.length * max) / bytes));
  while (storedBytes(kept + note) > max) kept = kept.slice(0, Math.floor(kept.length * 0.9));
  return kept.replace(/[\uD800-\uDBFF]$/, "") + note;
};

const kilobytes = (bytes: number): number => Math.ceil(bytes / 1_000);
