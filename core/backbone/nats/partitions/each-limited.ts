/** Runs the function for each item, at most `atOnce` in parallel. */
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
