import { cancel } from "./cancel.ts";
import type { Command } from "./command.ts";
import { helpOn } from "./help.ts";
import { inbox } from "./inbox.ts";
import { link } from "./link.ts";
import { newSession } from "./new-session.ts";
import { quiet } from "./quiet.ts";
import { schedules } from "./schedules.ts";
import { status } from "./status.ts";
import { unlink } from "./unlink.ts";
import { why } from "./why.ts";
import { workspaceCommands } from "./workspace-commands.ts";

const told: readonly Command[] = [why, status, cancel, inbox, schedules, quiet, link, unlink, newSession];

/** Every command there is, in the order in which `help` shows them. */
export const commands: readonly Command[] = [helpOn(told), ...told, ...workspaceCommands];

export const commandNamed = (name: string): Command | undefined => commands.find((command) => command.name === name);

/** It takes effect exactly between the two messages around it. */
export const isInOrder = (name: string): boolean => commandNamed(name)?.inOrder === true;
