export { noteEdit } from "./edited-text.ts";
export { handleDeadLetter } from "./handle-dead-letter.ts";
export { handleUserMessage, INTAKE_DURABLE } from "./handle-user-message.ts";
export { isForPeople } from "./publish-final.ts";
export { publishLoad, TELL_LOAD_EVERY_MS } from "./publish-load.ts";
