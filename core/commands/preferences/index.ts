export { language } from "./language.ts";
export { quiet } from "./quiet.ts";
export { timezone } from "./timezone.ts";
