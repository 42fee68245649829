export type { CommandDeps } from "./command.ts";
export { commandMenu, isInOrder } from "./commands.ts";
export { runCommand } from "./run-command.ts";
export { spellCommands } from "./spell-commands.ts";
