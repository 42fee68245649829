export { isForPeople } from "./answer-message.ts";
export { noteEdit } from "./edited-text.ts";
export { INTAKE_DURABLE, startIntake } from "./handle-user-message.ts";
export { publishLoad, TELL_LOAD_EVERY_MS } from "./publish-load.ts";
