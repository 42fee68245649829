export { ChildAbort, pause, raceAbort, withinDeadline } from "./abort.ts";
export { ChangeEvents, signalProgress, waitForChange } from "./change-events.ts";
export { deadLetterFallback } from "./dead-letter-fallback.ts";
export {
  acceptTrace,
  foreignParent,
  isSampled,
  otelTraceId,
  stableId,
  type TraceHeaders,
  traceHeaders,
} from "./derived-ids.ts";
export { listNames } from "./list-names.ts";
export { maskSecrets } from "./mask-secrets.ts";
export { mayReach, parseNetwork } from "./private-networks.ts";
export { readWithin } from "./read-within.ts";
export { cutAtGraphemes, cutToBytes, MAX_SUMMARY_GRAPHEMES, summarisePrompt } from "./shorten-text.ts";
export { dropInvisible } from "./strip-markup.ts";
