export { quiet } from "./quiet.ts";
export { timezone } from "./timezone.ts";
