export type { CommandDeps } from "./command.ts";
export { isInOrder } from "./commands.ts";
export { runCommand } from "./run-command.ts";
