import { channelLabel } from "../contract/messages/channel-label.ts";
import {
  describeEntry,
  forget,
  type MemoryEntry,
  type MemoryScope,
  mayErase,
  memoryScope,
  readScope,
  searchMemory,
} from "../memory/lasting/index.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

/** Shows and erases the lasting memory: a person's own in private, in a shared conversation that of the room (M4). */
export const memory: Command = {
  name: "memory",
  needs: "talk",
  menu: {
    description: "Show or erase what I remember",
    argument: { name: "details", description: "find and words, or forget and a number or all" },
  },
  usage: "memory [find <words>|forget <number>|forget all]",
  summary: "show, search or erase what I remember: about you in private, about a room in the room",
  privately: true,
  async run(call) {
    const scope = memoryScope(call.message, call.record);
    if (scope === undefined) return { markdown: "There is no memory here." };
    const [verb = "", ...rest] = call.args.split(/\s+/);
    const subject = rest.join(" ");
    switch (verb.toLowerCase()) {
      case "":
        return show(call, scope, await entriesOf(call, scope));
      case "before":
        return showBefore(call, scope, Number(subject));
      case "find":
        return find(call, scope, subject);
      case "forget":
        return subject === "" ? HOW_TO : erase(call, scope, subject.toLowerCase());
      default:
        return HOW_TO;
    }
  },
};

const HOW_TO: CommandAnswer = {
  markdown:
    "`/memory` shows what I remember. `/memory find <words>` searches in it, `/memory forget <number>` erases one entry, " +
    "and `/memory forget all` erases all of them.",
};

const PAGE = 20;
/** More than platforms show in one message. */
const MAX_BUTTONS = 5;
const MAX_LABEL_CHARS = 30;

const entriesOf = async ({ deps }: CommandCall, scope: MemoryScope): Promise<readonly MemoryEntry[]> =>
  (await readScope(deps.store, scope)).entries;

const OWNERS: Readonly<Record<MemoryScope["kind"], string>> = { person: "about you", room: "for this room" };

/** The newest entries first. */
const show = (
  call: CommandCall,
  { kind }: MemoryScope,
  entries: readonly MemoryEntry[],
  total = entries.length,
): CommandAnswer => {
  if (entries.length === 0) {
    return {
      markdown: `I remember nothing ${OWNERS[kind]} yet. Just tell me, for example: "remember that I like tea".`,
    };
  }
  const page = entries.slice(-PAGE).toReversed();
  const older = entries.length - page.length;
  const last = page.at(-1)?.number ?? 0;
  return {
    markdown: [
      `I remember ${counted(total)} ${OWNERS[kind]}${total > page.length ? ", here are some" : ""}:`,
      ...page.map((entry) => `- ${spell(call, kind, entry)}`),
      "",
      "`/memory forget <number>` erases one entry, `/memory forget all` all of them.",
    ].join("\n"),
    actions: older > 0 ? [{ name: "memory", label: "Show older ones", value: `before ${last}` }] : [],
  };
};

const counted = (count: number): string => `${count} ${count === 1 ? "thing" : "things"}`;

const spell = ({ record: { asker } }: CommandCall, kind: MemoryScope["kind"], entry: MemoryEntry): string =>
  describeEntry(entry, kind, { timeZone: asker.timeZone, locale: asker.locale, channelLabel });

const showBefore = async (call: CommandCall, scope: MemoryScope, number: number): Promise<CommandAnswer> => {
  const entries = await entriesOf(call, scope);
  const at = entries.findIndex((entry) => entry.number === number);
  return show(call, scope, at === -1 ? entries : entries.slice(0, at), entries.length);
};

const find = async (call: CommandCall, scope: MemoryScope, words: string): Promise<CommandAnswer> => {
  if (words === "") return HOW_TO;
  const found = searchMemory(await entriesOf(call, scope), words);
  if (found.length === 0) return { markdown: `I remember nothing ${OWNERS[scope.kind]} that fits these words.` };
  const lines = found.slice(0, PAGE).map((entry) => `- ${spell(call, scope.kind, entry)}`);
  return {
    markdown: ["The best matches first:", ...lines].join("\n"),
    actions: found.slice(0, MAX_BUTTONS).map(forgetAction),
  };
};

const forgetAction = ({ id, text }: MemoryEntry) => {
  const short = text.length <= MAX_LABEL_CHARS ? text : `${[...text].slice(0, MAX_LABEL_CHARS).join("")}…`;
  return { name: "memory", label: `Forget “${short}”`, value: `forget ${id}` };
};

const erase = async (call: CommandCall, scope: MemoryScope, subject: string): Promise<CommandAnswer> => {
  const entries = await entriesOf(call, scope);
  if (subject === "all") return confirmAll(scope, entries);
  if (subject === "all confirm") return eraseAll(call, scope, entries);
  const found = entries.filter(({ id, number }) => id === subject || String(number) === subject);
  const [entry] = found;
  if (entry === undefined) return { markdown: "I do not remember such an entry. `/memory` shows the numbers." };
  if (found.length > 1) {
    const lines = found.map((one) => `- ${spell(call, scope.kind, one)}`);
    return { markdown: ["Which one?", ...lines].join("\n"), actions: found.map(forgetAction) };
  }
  if (!(await mayErase(call.deps.store, scope, authority(call), entry))) {
    return { markdown: "Only the person who asked me to remember this, or an operator, can erase it." };
  }
  await forget(call.deps, scope, [entry]);
  return { markdown: `Forgotten: ${entry.text}` };
};

const authority = ({ record: { audience }, permit }: CommandCall) => ({ audience, permit });

const confirmAll = ({ kind }: MemoryScope, entries: readonly MemoryEntry[]): CommandAnswer => {
  if (entries.length === 0) return { markdown: `I remember nothing ${OWNERS[kind]}.` };
  const whose = kind === "room" ? " Only those that you asked for, unless you are an operator." : "";
  return {
    markdown:
      `Should I erase all ${counted(entries.length)} that I remember ${OWNERS[kind]}?${whose} This cannot be undone. ` +
      "`/memory forget all confirm` erases them.",
    actions: [{ name: "memory", label: "Erase all", value: "forget all confirm" }],
  };
};

/** Later entries stay if the command is repeated after a crash. */
const eraseAll = async (
  call: CommandCall,
  scope: MemoryScope,
  entries: readonly MemoryEntry[],
): Promise<CommandAnswer> => {
  const until = call.record.openedAt;
  const shown = entries.filter(({ at }) => at <= until);
  const allowed = await Promise.all(shown.map((entry) => mayErase(call.deps.store, scope, authority(call), entry)));
  const erased = shown.filter((_, index) => allowed[index]);
  await forget(call.deps, scope, erased);
  const rest = entries.length - erased.length;
  const left = rest === 0 ? "" : ` ${counted(rest)} of other people stay.`;
  return { markdown: `I have forgotten ${erased.length === 0 ? "nothing" : counted(erased.length)}.${left}` };
};
