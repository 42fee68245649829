export { ChildAbort } from "./child-abort.ts";
export { cutToBytes } from "./cut-to-bytes.ts";
export { dropInvisible } from "./drop-invisible.ts";
export { maskSecrets } from "./mask-secrets.ts";
export { pause } from "./pause.ts";
export { raceAbort } from "./race-abort.ts";
export { stableId } from "./stable-id.ts";
export { cutAtGraphemes, MAX_SUMMARY_GRAPHEMES, summarisePrompt } from "./summarise-prompt.ts";
