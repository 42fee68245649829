/** Secrets first: what is left of a header or an address must not keep them. */
const SECRETS = [
  /\b(?:bearer|basic)\s+[\w.~+/=-]{6,}/gi,
  /\b(?:authorization|x-api-key|api[-_ ]?key|token|secret|password)["']?\s*[=:]\s*["']?[^\s"',;]+/gi,
  /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}\b/g,
];

const ADDRESSES = [
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]+/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  // At least "::" or four colons: "12:30:45" is a time.
  /\[?(?:(?:[0-9a-f]{1,4}:){1,7}:|::|(?:[0-9a-f]{1,4}:){4,7})(?:[0-9a-f:.]*[0-9a-f])?\]?(?::\d+)?/gi,
  /\b[a-z][\w-]*(?:\.[\w-]+)+:\d{2,5}\b/gi,
  /\b[a-z][\w-]*:\d{4,5}\b/gi,
];

const STACK_LINE = /^\s+at .*$\n?/gm;

/** Takes addresses, secrets and stack traces out of the reason that a remote agent gives for its failure. */
export const redactAddresses = (text: string): string => {
  let left = text.replace(STACK_LINE, "");
  for (const pattern of SECRETS) left = left.replace(pattern, "[removed]");
  for (const pattern of ADDRESSES) left = left.replace(pattern, "[address]");
  return left.trim();
};
