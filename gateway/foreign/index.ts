export { createAdapter, createAdapterOrFail, speakersOn } from "./create-adapter.ts";
export { reportIfForeign } from "./foreign-code.ts";
