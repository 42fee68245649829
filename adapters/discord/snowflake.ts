const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** The smallest id that something made at this moment can have. */
export const snowflakeAt = (ms: number): string => {
  const since = BigInt(Math.floor(ms)) - DISCORD_EPOCH_MS;
  return String((since > 0n ? since : 0n) << 22n);
};

/** Ids grow with time; as text they do not, once they have a digit more. */
export const isAfter = (a: string, b: string): boolean => BigInt(a) > BigInt(b);

export const laterOf = (a: string, b: string): string => (isAfter(a, b) ? a : b);

export const justBefore = (id: string): string => String(BigInt(id) - 1n);
