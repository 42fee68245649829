import { relativeTime } from "../contract/relative-time.ts";
import type { Caller } from "../delivery/index.ts";
import {
  type Addressee,
  failureInWords,
  findUndelivered,
  listUndeliveredFor,
  readDeadLetter,
  settleUndelivered,
  type Undelivered,
} from "../delivery/undelivered/index.ts";
import { channelLabel } from "../origin/index.ts";
import { callerOf } from "./caller-work.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

/** Entries per page; each has three buttons, and platforms limit the buttons of a message. */
const PAGE = 3;
const GONE =
  "There is no such message in your inbox: somebody has dealt with it before. Write `inbox` to see what is left.";

/** The undelivered messages of the caller, with buttons to settle them (D6). */
export const inbox: Command = {
  name: "inbox",
  menu: {
    description: "Messages that did not reach you",
    argument: { name: "details", description: "retry or dismiss, and which" },
  },
  summary: "messages for you that did not get through: read them, have them sent again, or dismiss them",
  privately: true,
  async run(call) {
    const [verb = "", id = ""] = call.args.split(/\s+/);
    const caller = await callerOf(call);
    if (verb === "" || verb === "after") return list(call, caller, id);
    if (verb !== "read" && verb !== "again" && verb !== "dismiss") {
      return { markdown: "Write `inbox` alone, or press one of its buttons." };
    }
    const entry = await find(call, caller, id);
    if (entry === undefined) return { markdown: GONE };
    if (verb === "read") return read(call, entry);
    const what = verb === "again" ? "send-again" : "dismiss";
    const settled = await settleUndelivered(call.deps, entry, what, call.message.id);
    if (settled === "gone") return { markdown: GONE };
    return { markdown: verb === "again" ? `I am sending it again, to ${placeOf(entry)}.` : "It is dismissed." };
  },
};

const list = async (call: CommandCall, caller: Caller, after: string): Promise<CommandAnswer> => {
  const { deps, message } = call;
  const page = { limit: PAGE + 1, ...(after !== "" && { after }) };
  const isShown = ({ audience }: Undelivered) => caller.owns(audience);
  const found = await listUndeliveredFor(deps.store, message.tenant, addresseesOf(caller), page, isShown);
  const shown = found.slice(0, PAGE);
  if (shown.length === 0)
    return { markdown: after === "" ? "Your inbox is empty: everything got through." : "That is all." };
  const now = deps.clock.now();
  const lines = shown.map(
    (entry, index) =>
      `${index + 1}. “${entry.excerpt}”, for ${placeOf(entry)}, ${relativeTime(Date.parse(entry.deadAt), now, message.account)}: ${failureInWords(entry.reason)}`,
  );
  const more = found.length > PAGE ? [{ name: "inbox", label: "More", value: `after ${shown.at(-1)?.id}` }] : [];
  return {
    markdown: ["These did not get through:", ...lines].join("\n"),
    actions: [...shown.flatMap(({ id }, index) => buttons(id, index + 1)), ...more],
  };
};

const buttons = (id: string, number: number) => [
  { name: "inbox", label: `Read ${number}`, value: `read ${id}` },
  { name: "inbox", label: `Send ${number} again`, value: `again ${id}` },
  { name: "inbox", label: `Dismiss ${number}`, value: `dismiss ${id}` },
];

const read = async ({ deps }: CommandCall, entry: Undelivered): Promise<CommandAnswer> => {
  const reply = await readDeadLetter(deps.store, entry.letter);
  if (reply === undefined) return { markdown: GONE };
  const about = entry.origin === null ? "" : ` About “${entry.origin.promptSummary}”.`;
  return { markdown: `For ${placeOf(entry)}.${about}\n\n${reply.markdown}` };
};

/** Finds an entry of the caller; entries of other people count as absent. */
const find = async ({ deps, message }: CommandCall, caller: Caller, id: string): Promise<Undelivered | undefined> => {
  const entry = await findUndelivered(deps.store, message.tenant, addresseesOf(caller), id);
  return entry && caller.owns(entry.audience) ? entry : undefined;
};

const addresseesOf = ({ accounts, person }: Caller): Addressee[] => [
  ...accounts.map(({ channel, accountId }) => ["account", channel, accountId] as const),
  ["person", person.id],
];

const placeOf = ({ target }: Undelivered): string =>
  `${target.kind === "private" ? "your private conversation" : "a shared conversation"} on ${channelLabel(target.channel)}`;
