/** Far above the depth of any valid request. */
const MAX_DEPTH = 64;

export const TOO_DEEP = `the request nests lists and objects more than ${MAX_DEPTH} deep`;

/**
 * Limits the nesting of parsed JSON: indented output grows with the square of the depth, and recursive code
 * overflows the stack.
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

/** Cheap first check: a text with few opening brackets cannot be nested deeply. */
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
