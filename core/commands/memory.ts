import { channelLabel } from "../contract/messages/channel-label.ts";
import type { Texts } from "../contract/texts/texts.ts";
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
  argument: "details",
  usage: "memory [find <words>|forget <number>|forget all]",
  privately: true,
  async run(call) {
    const scope = memoryScope(call.message, call.record);
    if (scope === undefined) return { markdown: call.texts.memory.none };
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
        return subject === "" ? howTo(call) : erase(call, scope, subject.toLowerCase());
      default:
        return howTo(call);
    }
  },
};

const howTo = ({ texts }: CommandCall): CommandAnswer => ({ markdown: texts.memory.usage });

const PAGE = 20;
/** More than platforms show in one message. */
const MAX_BUTTONS = 5;
const MAX_LABEL_CHARS = 30;

const entriesOf = async ({ deps }: CommandCall, scope: MemoryScope): Promise<readonly MemoryEntry[]> =>
  (await readScope(deps.store, scope)).entries;

/** The newest entries first. */
const show = (
  call: CommandCall,
  { kind }: MemoryScope,
  entries: readonly MemoryEntry[],
  total = entries.length,
): CommandAnswer => {
  const { memory } = call.texts;
  if (entries.length === 0) return { markdown: memory[kind].nothingYet };
  const page = entries.slice(-PAGE).toReversed();
  const older = entries.length - page.length;
  const last = page.at(-1)?.number ?? 0;
  return {
    markdown: [
      `${memory[kind].heading(total)}${total > page.length ? memory.some : ""}:`,
      ...page.map((entry) => `- ${spell(call, kind, entry)}`),
      "",
      memory.howToForget,
    ].join("\n"),
    actions: older > 0 ? [{ name: "memory", label: memory.older, value: `before ${last}` }] : [],
  };
};

const spell = ({ viewer, texts }: CommandCall, kind: MemoryScope["kind"], entry: MemoryEntry): string =>
  describeEntry(entry, kind, { ...viewer, channelLabel, nameless: texts.linking.aPerson });

const showBefore = async (call: CommandCall, scope: MemoryScope, number: number): Promise<CommandAnswer> => {
  const entries = await entriesOf(call, scope);
  const at = entries.findIndex((entry) => entry.number === number);
  return show(call, scope, at === -1 ? entries : entries.slice(0, at), entries.length);
};

const find = async (call: CommandCall, scope: MemoryScope, words: string): Promise<CommandAnswer> => {
  const { memory } = call.texts;
  if (words === "") return howTo(call);
  const found = searchMemory(await entriesOf(call, scope), words);
  if (found.length === 0) return { markdown: memory[scope.kind].noMatch };
  const lines = found.slice(0, PAGE).map((entry) => `- ${spell(call, scope.kind, entry)}`);
  return {
    markdown: [memory.best, ...lines].join("\n"),
    actions: found.slice(0, MAX_BUTTONS).map((entry) => forgetAction(entry, call.texts)),
  };
};

const forgetAction = ({ id, text }: MemoryEntry, { memory }: Texts) => {
  const short = text.length <= MAX_LABEL_CHARS ? text : `${[...text].slice(0, MAX_LABEL_CHARS).join("")}…`;
  return { name: "memory", label: memory.forgetButton(short), value: `forget ${id}` };
};

const erase = async (call: CommandCall, scope: MemoryScope, subject: string): Promise<CommandAnswer> => {
  const { memory } = call.texts;
  const entries = await entriesOf(call, scope);
  if (subject === "all") return confirmAll(call, scope, entries);
  if (subject === "all confirm") return eraseAll(call, scope, entries);
  const found = entries.filter(({ id, number }) => id === subject || String(number) === subject);
  const [entry] = found;
  if (entry === undefined) return { markdown: memory.noEntry };
  if (found.length > 1) {
    const lines = found.map((one) => `- ${spell(call, scope.kind, one)}`);
    return {
      markdown: [memory.which, ...lines].join("\n"),
      actions: found.map((one) => forgetAction(one, call.texts)),
    };
  }
  if (!(await mayErase(call.deps.store, scope, authority(call), entry))) {
    return { markdown: memory.notYours };
  }
  await forget(call.deps, scope, [entry]);
  return { markdown: memory.forgotten(entry.text) };
};

const authority = ({ record: { audience }, permit }: CommandCall) => ({ audience, permit });

const confirmAll = (
  { texts: { memory } }: CommandCall,
  { kind }: MemoryScope,
  entries: readonly MemoryEntry[],
): CommandAnswer => {
  if (entries.length === 0) return { markdown: memory[kind].nothing };
  return {
    markdown: `${memory[kind].eraseAll(entries.length)} ${memory.cannotUndo}`,
    actions: [{ name: "memory", label: memory.eraseAllButton, value: "forget all confirm" }],
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
  const { memory } = call.texts;
  const left = rest === 0 ? "" : ` ${memory.othersStay(rest)}`;
  return { markdown: `${memory.forgot(erased.length)}${left}` };
};
