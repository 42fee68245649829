export type { CommandDeps } from "./command.ts";
export { commandMenu, isInOrder, runCommand, spellCommands } from "./commands.ts";
