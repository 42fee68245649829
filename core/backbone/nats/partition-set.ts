/** Partitions as a member record spells them: hexadecimal, partition 0 is the highest bit of the first digit. */
export const encodePartitions = (partitions: Iterable<number>, count: number): string => {
  const digits = Array.from({ length: Math.ceil(count / 4) }, () => 0);
  for (const partition of partitions) {
    const digit = partition >> 2;
    if (digit < digits.length) digits[digit] = (digits[digit] ?? 0) | (8 >> (partition & 3));
  }
  return digits.map((digit) => digit.toString(16)).join("");
};

export const hasPartition = (encoded: string, partition: number): boolean =>
  (Number.parseInt(encoded[partition >> 2] ?? "0", 16) & (8 >> (partition & 3))) !== 0;
