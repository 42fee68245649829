/** A short name for what a note is about, the same for "My cat" and "my cat?". */
export const memoryKey = (subject: string): string => {
  const words = subject.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 6).join("-").slice(0, 60) || "note";
};
