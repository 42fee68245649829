export { noteEdit } from "./edited-text.ts";
export { INTAKE_DURABLE, startIntake } from "./handle-user-message.ts";
export { isForPeople } from "./publish-final.ts";
export { publishLoad, TELL_LOAD_EVERY_MS } from "./publish-load.ts";
