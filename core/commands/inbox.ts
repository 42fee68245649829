import { namesOfFiles } from "../contract/file-ref.ts";
import { channelLabel } from "../contract/messages/channel-label.ts";
import { relativeTime } from "../contract/relative-time.ts";
import type { Caller } from "../delivery/index.ts";
import {
  deliveryFailureText,
  findUndelivered,
  listUndeliveredFor,
  readDeadLetter,
  settleUndelivered,
  type Undelivered,
} from "../delivery/undelivered/index.ts";
import { type Command, type CommandAnswer, type CommandCall, callerOf } from "./command.ts";
import { addresseesOf } from "./explain/pending-deliveries.ts";

/** Entries per page; each has three buttons, and platforms limit the buttons of a message. */
const PAGE = 3;
const NOT_IN_INBOX = "This message is no longer in your inbox. `/inbox` shows what is left.";

/** The undelivered messages of the caller, with buttons to settle them (D6). */
export const inbox: Command = {
  name: "inbox",
  needs: "talk",
  menu: {
    description: "Messages that may not have reached you",
    argument: { name: "details", description: "Leave empty to list them" },
  },
  summary: "messages that may not have reached you: read, resend or dismiss them",
  privately: true,
  async run(call) {
    const [verb = "", id = ""] = call.args.split(/\s+/);
    const caller = await callerOf(call);
    if (verb === "" || verb === "after") return list(call, caller, id);
    if (verb !== "read" && verb !== "again" && verb !== "dismiss") {
      return { markdown: "`/inbox` lists your messages; use its buttons to read, resend or dismiss one." };
    }
    const entry = await find(call, caller, id);
    if (entry === undefined) return { markdown: NOT_IN_INBOX };
    if (verb === "read") return read(call, entry);
    const what = verb === "again" ? "send-again" : "dismiss";
    const settled = await settleUndelivered(call.deps, entry, what, call.message.id);
    if (settled === "taken") return { markdown: NOT_IN_INBOX };
    return { markdown: verb === "again" ? `I am sending it again, to ${targetText(entry)}.` : "Dismissed." };
  },
};

const list = async (call: CommandCall, caller: Caller, after: string): Promise<CommandAnswer> => {
  const { deps, message } = call;
  const page = { limit: PAGE + 1, ...(after !== "" && { after }) };
  const isShown = ({ audience }: Undelivered) => caller.owns(audience);
  const found = await listUndeliveredFor(deps.store, message.tenant, addresseesOf(caller), page, isShown);
  const shown = found.slice(0, PAGE);
  if (shown.length === 0)
    return { markdown: after === "" ? "Your inbox is empty: everything reached you." : "That is all." };
  const now = deps.clock.now();
  const lines = shown.map(
    (entry, index) =>
      `${index + 1}. “${entry.excerpt}”, for ${targetText(entry)}, ${relativeTime(Date.parse(entry.deadAt), now, message.account)}: ${deliveryFailureText(entry.reason)}`,
  );
  const more = found.length > PAGE ? [{ name: "inbox", label: "Show more", value: `after ${shown.at(-1)?.id}` }] : [];
  return {
    markdown: ["These messages may not have reached you:", ...lines].join("\n"),
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
  if (reply === undefined) return { markdown: NOT_IN_INBOX };
  const about = entry.origin === null ? "" : ` About “${entry.origin.promptSummary}”.`;
  const files = reply.files === undefined ? [] : [`Files, which a resend brings: ${namesOfFiles(reply.files)}`];
  return { markdown: [`For ${targetText(entry)}.${about}`, reply.markdown, ...files].join("\n\n") };
};

/** Finds an entry of the caller; entries of other people count as absent. */
const find = async ({ deps, message }: CommandCall, caller: Caller, id: string): Promise<Undelivered | undefined> => {
  const entry = await findUndelivered(deps.store, message.tenant, addresseesOf(caller), id);
  return entry && caller.owns(entry.audience) ? entry : undefined;
};

const targetText = ({ target }: Undelivered): string =>
  `${target.kind === "private" ? "your private conversation" : "a shared conversation"} on ${channelLabel(target.channel)}`;
