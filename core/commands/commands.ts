import type { MenuCommand } from "../contract/menu-command.ts";
import type { CommandMessage } from "../contract/messages/user-message.ts";
import { suggest } from "../contract/suggest.ts";
import { english, LANGUAGES, type Texts, textsFor } from "../contract/texts/texts.ts";
import { publishReply } from "../delivery/index.ts";
import { deleteFilesOf } from "../files/received/index.ts";
import { cutAtGraphemes } from "../lib/index.ts";
import { startSession } from "../sessions/index.ts";
import type { Agent } from "../turns/index.ts";
import type { TurnRecord } from "../turns/record/index.ts";
import { approve } from "./approve.ts";
import { budget } from "./budget.ts";
import { deleteConversation } from "./buttons/delete-conversation.ts";
import { revoke } from "./buttons/revoke.ts";
import { cancel } from "./cancel.ts";
import type { Command, CommandDeps } from "./command.ts";
import { feedback } from "./feedback.ts";
import { inbox } from "./inbox.ts";
import { link, unlink } from "./link.ts";
import { memory } from "./memory.ts";
import { language, quiet, timezone } from "./preferences/index.ts";
import { report } from "./report.ts";
import { schedules } from "./schedules.ts";
import { status } from "./status.ts";
import { why } from "./why.ts";
import { diff, discard, merge } from "./workspace-commands.ts";

/** The texts of a command for `help` and menus; undefined for a command that people reach by buttons only. */
const menuTextOf = ({ name }: Pick<Command, "name">, { menu }: Texts): MenuText | undefined =>
  Object.hasOwn(menu, name) ? menu[name as keyof Texts["menu"]] : undefined;

type MenuText = { readonly menu: string; readonly summary: string; readonly argument?: string };

/** The command's syntax; the values to fill in are named in the person's language. */
const usageOf = ({ name, usage = name }: Command, { help: { values } }: Texts): string =>
  usage.replace(/(?<=[[<])[a-z]+(?=[\]>])/g, (value) =>
    Object.hasOwn(values, value) ? values[value as keyof typeof values] : value,
  );

/** Builds `help`, which lists itself and these commands. */
const helpOn = (others: readonly Command[]): Command => {
  const help: Command = {
    name: "help",
    needs: "talk",
    privately: false,
    async run({ texts }) {
      const lines = [help, ...others].flatMap((command) => {
        const text = menuTextOf(command, texts);
        return text === undefined ? [] : [`- \`/${usageOf(command, texts)}\`: ${text.summary}`];
      });
      return { markdown: [texts.help.introduction, ...lines, "", texts.help.seenElsewhere].join("\n") };
    },
  };
  return help;
};

const newSession: Command = {
  name: "new",
  needs: "talk",
  privately: false,
  inOrder: true,
  async run({ deps: { store, clock }, message, record, texts }) {
    const options = { after: record.sessionId, messageId: message.id, now: clock.now() };
    const sessionId = await startSession(store, message, options);
    await deleteFilesOf(store, record.sessionId);
    return { sessionId, markdown: texts.help.newSession };
  },
};

/** Answers an unknown command with the closest known name, or with all of them. */
const unknownCommand = (name: string, known: readonly Command[]): Command => ({
  name,
  needs: "talk",
  privately: false,
  async run({ texts }) {
    const names = known.filter((command) => menuTextOf(command, texts) !== undefined).map((command) => command.name);
    const shown = cutAtGraphemes(name.replace(/[^\p{L}\p{N}_-]+/gu, " ").trim(), 40);
    const meant = suggest(name, names);
    const advice =
      meant === undefined
        ? texts.help.known(names.map((one) => `\`/${one}\``).join(", "))
        : texts.help.didYouMean(meant);
    return { markdown: `${texts.help.unknown(shown)} ${advice}` };
  },
});

/** The only list of commands, in the order of `help`; a new command is one file and one entry here. */
const all = [
  why,
  status,
  cancel,
  approve,
  inbox,
  schedules,
  memory,
  budget,
  quiet,
  timezone,
  language,
  link,
  unlink,
  newSession,
  report,
  feedback,
  revoke,
  deleteConversation,
  diff,
  merge,
  discard,
];

export const commands: readonly Command[] = [helpOn(all), ...all];

/** The commands for the menus of platforms. */
export const commandMenu: readonly MenuCommand[] = commands.flatMap((command) => {
  const { name, privately } = command;
  const own = entryOf(command, english);
  if (own === undefined) return [];
  const others = Object.entries(LANGUAGES).filter(([, texts]) => texts !== english);
  const translations = Object.fromEntries(
    others.flatMap(([language, texts]) => {
      const entry = entryOf(command, texts);
      return entry === undefined ? [] : [[language, entry]];
    }),
  );
  return [{ name, ...own, translations, privately }];
});

function entryOf(command: Command, texts: Texts): Pick<MenuCommand, "description" | "argument"> | undefined {
  const text = menuTextOf(command, texts);
  if (text === undefined) return undefined;
  const { menu: description, argument } = text;
  return {
    description,
    ...(command.argument !== undefined &&
      argument !== undefined && { argument: { name: command.argument, description: argument } }),
  };
}

const named = (name: string): Command | undefined => commands.find((command) => command.name === name);

export const commandFor = (name: string): Command => named(name) ?? unknownCommand(name, commands);

/** Whether a command takes effect exactly between the messages before and after it. */
export const isInOrder = (name: string): boolean => named(name)?.inOrder === true;

/** How core writes a command that people can type: a code span, a slash, the name. */
const TYPED = new RegExp(`(?<!\`)\`/(${commands.map(({ name }) => name).join("|")})(?=[ \`])`, "g");
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Spells the commands in a text of core as people type them on one channel. Fenced code stays as it is. */
export const spellCommands = (markdown: string, prefix = "/"): string => {
  if (prefix === "/") return markdown;
  let fence = "";
  const spell = (line: string): string => {
    const [, found = ""] = FENCE.exec(line) ?? [];
    if (fence !== "") {
      if (found.startsWith(fence)) fence = "";
      return line;
    }
    fence = found;
    return found === "" ? line.replace(TYPED, (_, name: string) => `\`${prefix}${name}`) : line;
  };
  return markdown.split("\n").map(spell).join("\n");
};

/** Runs a command and publishes its answer as a notice, which needs no anchor (O7). */
export const runCommand = async (
  deps: CommandDeps,
  { rights, defaultsOn }: Pick<Agent, "rights" | "defaultsOn">,
  message: CommandMessage,
  { record, seenBefore }: { readonly record: TurnRecord; readonly seenBefore: boolean },
): Promise<void> => {
  const { name, args } = message.command;
  const command = commandFor(name);
  const permit = rights.permit(record.asker);
  const defaults = defaultsOn(message.conversation.channel);
  const viewer = {
    timeZone: record.asker.timeZone ?? defaults.timeZone,
    locale: record.asker.locale ?? defaults.locale,
  };
  const texts = textsFor(viewer.locale);
  const refusal = permit.refusalOf(command.needs, texts);
  const answer =
    refusal === undefined
      ? await command.run({ deps, message, args: args.trim(), defaults, record, permit, viewer, texts })
      : { markdown: refusal };
  const isForCallerOnly = (command.privately || message.unseen === true) && message.conversation.kind === "shared";
  await deps.checkpoint("reply.before");
  await publishReply(deps.bus, {
    sessionId: record.sessionId,
    ...answer,
    id: `${record.turnId}/notice`,
    tenant: message.tenant,
    agent: message.agent,
    kind: "notice",
    correlationId: message.id,
    ...(message.messageId !== undefined && { answers: message.messageId }),
    origin: null,
    audience: record.audience,
    ...(isForCallerOnly && { onlyFor: message.account.id }),
    ...(seenBefore && { mayRepeat: true }),
    createdAt: record.openedAt,
    traceId: record.traceId,
  });
  await deps.checkpoint("reply.published");
};
