export { ChildAbort, pause, raceAbort, withinDeadline } from "./abort.ts";
export { ChangeEvents, signalProgress, waitForChange } from "./change-events.ts";
export { deadLetterFallback } from "./dead-letter-fallback.ts";
export { listNames } from "./list-names.ts";
export { maskSecrets } from "./mask-secrets.ts";
export { cutAtGraphemes, cutToBytes, MAX_SUMMARY_GRAPHEMES, summarisePrompt } from "./shorten-text.ts";
export { stableId } from "./stable-id.ts";
export { dropInvisible } from "./strip-markup.ts";
