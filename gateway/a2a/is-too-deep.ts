/** Far more than any request of the protocol needs. */
const MOST_LEVELS = 64;

export const TOO_DEEP = `the request has lists and objects in more than ${MOST_LEVELS} others`;

/**
 * Whether what was read lies in so many lists and objects that handling it costs more than its bytes tell: indented it
 * grows with the square of its depth, and what walks through it by calling itself runs out of stack.
 */
export const isTooDeep = (json: unknown): boolean => {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_LEVELS) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return false;
};
