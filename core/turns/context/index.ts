export { type LocalTime, localTimeOf } from "./local-time.ts";
export { CONTEXT_NOTE, quotedText, turnContext } from "./turn-context.ts";
