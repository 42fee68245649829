/** "820 B", "12 kB", "1.4 MB". */
export const bytesText = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${Math.round(bytes / 100_000) / 10} MB`;
};
