let isExplained = false;

/** Writes the reason to the console if the gateway refuses sockets of this page. Once, because attempts repeat. */
export const explainRefusal = async (url: string): Promise<void> => {
  if (isExplained) return;
  isExplained = true;
  try {
    const { allowed, message } = (await (await fetch(url)).json()) as { allowed?: boolean; message?: string };
    if (allowed === false) console.error(`mooring: ${message}`);
  } catch {
    // The gateway is unreachable; the next attempt asks again.
    isExplained = false;
  }
};
