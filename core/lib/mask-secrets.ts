const MASK = "•••";

/** Adjacent quantifiers are bounded, so that no text makes a pattern slow. */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g, MASK],
  [/\b(?:xox[a-z]|xapp)-[\w-]{8,}/g, MASK],
  [/\bsk-[\w-]{16,}/g, MASK],
  [/\b(?:gh[oprsu]_[A-Za-z0-9]{16,}|github_pat_\w{20,})/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MASK],
  [/\bAIza[\w-]{35}/g, MASK],
  // Bounded, because "eyJ" can begin again inside what may be its header.
  [/\beyJ[\w-]{5,1000}\.[\w-]{5,}(?:\.[\w-]*)?/g, MASK],
  // Discord's bot tokens: an account id in base64, a time stamp, a signature.
  [/\b[MNO][\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}/g, MASK],
  // Telegram's bot tokens: the bot's id, a signature of 35 signs.
  [/\b\d{6,12}:AA[\w-]{33}(?![\w-])/g, MASK],
  [/\b(Bearer\s{1,4})[\w.~+/=-]{16,}/gi, `$1${MASK}`],
  [
    /((?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key)["']?\s{0,4}=\s{0,4})(?:"[^"]*"|'[^']*'|[^\s&;,]+)/gi,
    `$1${MASK}`,
  ],
  [/((?:password|passwd|passphrase|pwd|api[_-]?key)["']?\s{0,4}:\s{0,4})(?:"[^"]*"|'[^']*'|[^\s,;]+)/gi, `$1${MASK}`],
  [/\b([a-z][a-z0-9+.-]{0,15}:\/\/)[^\s/@:]{0,128}:[^\s/]{1,256}@/gi, `$1${MASK}@`],
  [/(?<![\w:/])(?!mailto:)[^\s:@/"'<>()]{1,64}:[^\s:@/]{1,128}@(?=[\w[])/gi, `${MASK}@`],
];

/** Masks text that looks like a key, a token or a password. */
export const maskSecrets = (text: string): string =>
  PATTERNS.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text);
