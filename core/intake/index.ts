export { isForPeople } from "./answer-message.ts";
export { AwaitedFiles } from "./awaited-files.ts";
export { INTAKE_DURABLE, startIntake } from "./handle-user-message.ts";
export { publishLoad, REPORT_LOAD_EVERY_MS } from "./publish-load.ts";
export { noteEdit } from "./resolve-turn.ts";
