/** Far more than any request of the protocol needs. */
const MAX_DEPTH = 64;

export const TOO_DEEP = `the request has lists and objects in more than ${MAX_DEPTH} others`;

/**
 * Whether what was read lies in so many lists and objects that handling it costs more than its bytes tell: indented it
 * grows with the square of its depth, and what walks through it by calling itself runs out of stack.
 */
export const isTooDeep = (text: string, json: unknown): boolean => {
  if (!mayBeTooDeep(text)) return false;
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return false;
};

/** What opens no more lists and objects than that has them in no more levels: so it is with almost every request. */
const mayBeTooDeep = (text: string): boolean => {
  let opened = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if ((sign === LIST || sign === OBJECT) && ++opened > MAX_DEPTH) return true;
  }
  return false;
};

const LIST = "[".charCodeAt(0);
const OBJECT = "{".charCodeAt(0);
