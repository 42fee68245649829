/** Runs it for every item, so many at once. */
export const eachLimited = async <T>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<void>,
): Promise<void> => {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
};
