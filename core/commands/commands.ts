import type { MenuCommand } from "../contract/menu-command.ts";
import type { CommandMessage } from "../contract/messages/user-message.ts";
import { suggest } from "../contract/suggest.ts";
import { publishReply } from "../delivery/index.ts";
import { deleteFilesOf } from "../files/received/index.ts";
import { cutAtGraphemes } from "../lib/index.ts";
import { startSession } from "../sessions/index.ts";
import type { Agent, TurnRecord } from "../turns/index.ts";
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
import { quiet, timezone } from "./preferences/index.ts";
import { report } from "./report.ts";
import { schedules } from "./schedules.ts";
import { status } from "./status.ts";
import { why } from "./why.ts";
import { diff, discard, merge } from "./workspace-commands.ts";

const INTRODUCTION = "Just write to me as you would to a colleague. I also know these commands:";
const SEEN_ELSEWHERE =
  "To see my answers on your other channels and in your other browsers too, write `/link` in one of them and send me the code in the other.";

/** Builds `help`, which lists itself and these commands. */
const helpOn = (others: readonly Command[]): Command => {
  const help: Command = {
    name: "help",
    needs: "talk",
    menu: { description: "List the commands" },
    summary: "show this list",
    privately: false,
    async run() {
      const lines = [help, ...others].flatMap(({ name, usage = name, summary }) =>
        summary === undefined ? [] : [`- \`/${usage}\`: ${summary}`],
      );
      return { markdown: [INTRODUCTION, ...lines, "", SEEN_ELSEWHERE].join("\n") };
    },
  };
  return help;
};

const newSession: Command = {
  name: "new",
  needs: "talk",
  menu: { description: "Start a new session; running work continues" },
  summary: "start over: I forget our conversation, running work continues",
  privately: false,
  inOrder: true,
  async run({ deps: { store, clock }, message, record }) {
    const options = { after: record.sessionId, messageId: message.id, now: clock.now() };
    const sessionId = await startSession(store, message, options);
    await deleteFilesOf(store, record.sessionId);
    return { sessionId, markdown: "This is a new session: I have forgotten our conversation so far." };
  },
};

/** Answers an unknown command with the closest known name, or with all of them. */
const unknownCommand = (name: string, known: readonly Command[]): Command => ({
  name,
  needs: "talk",
  privately: false,
  async run() {
    const names = known.flatMap(({ name, summary }) => (summary === undefined ? [] : [name]));
    const shown = cutAtGraphemes(name.replace(/[^\p{L}\p{N}_-]+/gu, " ").trim(), 40);
    const meant = suggest(name, names);
    const advice =
      meant === undefined ? `I know ${names.map((one) => `\`/${one}\``).join(", ")}.` : `Did you mean \`/${meant}\`?`;
    return { markdown: `I don't know the command "${shown}". ${advice}` };
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
export const commandMenu: readonly MenuCommand[] = commands.flatMap(({ name, menu, privately }) =>
  menu === undefined ? [] : [{ name, ...menu, privately }],
);

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
  const refusal = permit.refusalOf(command.needs);
  const defaults = defaultsOn(message.conversation.channel);
  const answer =
    refusal === undefined
      ? await command.run({ deps, message, args: args.trim(), defaults, record, permit })
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
