import { a2a } from "./a2a.ts";
import { anthropic } from "./anthropic.ts";
import { demo } from "./demo.ts";
import { openAiCompatible } from "./openai-compatible.ts";

/** The only list of model providers, in the order of `mooring init`: a new one is one file and one entry here. */
export const providers = [demo, openAiCompatible, anthropic, a2a] as const;
