import type { MenuCommand } from "../contract/menu-command.ts";
import { cancel } from "./cancel.ts";
import type { Command } from "./command.ts";
import { helpOn, unknownCommand } from "./help.ts";
import { inbox } from "./inbox.ts";
import { link } from "./link.ts";
import { newSession } from "./new-session.ts";
import { quiet } from "./quiet.ts";
import { schedules } from "./schedules.ts";
import { status } from "./status.ts";
import { unlink } from "./unlink.ts";
import { why } from "./why/why.ts";
import { diff, discard, merge } from "./workspace-commands.ts";

/** The only list of commands, in the order of `help`; a new command is one file and one entry here. */
const all = [why, status, cancel, inbox, schedules, quiet, link, unlink, newSession, diff, merge, discard];

export const commands: readonly Command[] = [helpOn(all), ...all];

/** The commands for the menus of platforms. */
export const commandMenu: readonly MenuCommand[] = commands.flatMap(({ name, menu, privately }) =>
  menu === undefined ? [] : [{ name, ...menu, privately }],
);

const named = (name: string): Command | undefined => commands.find((command) => command.name === name);

export const commandFor = (name: string): Command => named(name) ?? unknownCommand(name, commands);

/** Whether a command takes effect exactly between the messages before and after it. */
export const isInOrder = (name: string): boolean => named(name)?.inOrder === true;
