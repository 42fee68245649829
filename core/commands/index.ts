export type { CommandDeps } from "./command.ts";
export { commandMenu, isInOrder, spellCommands } from "./commands.ts";
export { runCommand } from "./run-command.ts";
