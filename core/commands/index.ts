export type { CommandDeps } from "./command.ts";
export { commandMenu, isInOrder, runCommand, spellCommands } from "./commands.ts";
export { type Feedback, feedbackDays, feedbackKey, feedbackOfDay } from "./feedback.ts";
export { type Report, reportKey, reportsOf } from "./report.ts";
