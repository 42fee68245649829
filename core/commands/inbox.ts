import { namesOfFiles } from "../contract/file-ref.ts";
import { channelLabel } from "../contract/messages/channel-label.ts";
import { relativeTime } from "../contract/relative-time.ts";
import type { Texts } from "../contract/texts/texts.ts";
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

/** The undelivered messages of the caller, with buttons to settle them (D6). */
export const inbox: Command = {
  name: "inbox",
  needs: "talk",
  argument: "details",
  privately: true,
  async run(call) {
    const [verb = "", id = ""] = call.args.split(/\s+/);
    const texts = call.texts.inbox;
    const caller = await callerOf(call);
    if (verb === "" || verb === "after") return list(call, caller, id);
    if (verb !== "read" && verb !== "again" && verb !== "dismiss") {
      return { markdown: texts.usage };
    }
    const entry = await find(call, caller, id);
    if (entry === undefined) return { markdown: texts.gone };
    if (verb === "read") return read(call, entry);
    const what = verb === "again" ? "send-again" : "dismiss";
    const settled = await settleUndelivered(call.deps, entry, what, call.message.id);
    if (settled === "taken") return { markdown: texts.gone };
    return { markdown: verb === "again" ? texts.sending(targetText(entry, call.texts)) : texts.dismissed };
  },
};

const list = async (call: CommandCall, caller: Caller, after: string): Promise<CommandAnswer> => {
  const { deps, message, viewer, texts } = call;
  const page = { limit: PAGE + 1, ...(after !== "" && { after }) };
  const isShown = ({ audience }: Undelivered) => caller.owns(audience);
  const found = await listUndeliveredFor(deps.store, message.tenant, addresseesOf(caller), page, isShown);
  const shown = found.slice(0, PAGE);
  if (shown.length === 0) return { markdown: after === "" ? texts.inbox.empty : texts.inbox.end };
  const now = deps.clock.now();
  const lines = shown.map((entry, index) => {
    const ago = relativeTime(Date.parse(entry.deadAt), now, viewer);
    const reason = deliveryFailureText(entry.reason, texts);
    return `${index + 1}. ${texts.inbox.entry(entry.excerpt, targetText(entry, texts), ago, reason)}`;
  });
  const more =
    found.length > PAGE ? [{ name: "inbox", label: texts.inbox.more, value: `after ${shown.at(-1)?.id}` }] : [];
  return {
    markdown: [texts.inbox.heading, ...lines].join("\n"),
    actions: [...shown.flatMap(({ id }, index) => buttons(id, index + 1, texts)), ...more],
  };
};

const buttons = (id: string, number: number, { inbox }: Texts) => [
  { name: "inbox", label: inbox.read(number), value: `read ${id}` },
  { name: "inbox", label: inbox.again(number), value: `again ${id}` },
  { name: "inbox", label: inbox.dismiss(number), value: `dismiss ${id}` },
];

const read = async ({ deps, texts }: CommandCall, entry: Undelivered): Promise<CommandAnswer> => {
  const reply = await readDeadLetter(deps.store, entry.letter);
  if (reply === undefined) return { markdown: texts.inbox.gone };
  const about = entry.origin === null ? "" : ` ${texts.inbox.about(entry.origin.promptSummary)}`;
  const files = reply.files === undefined ? [] : [texts.inbox.files(namesOfFiles(reply.files))];
  return {
    markdown: [`${texts.inbox.forTarget(targetText(entry, texts))}${about}`, reply.markdown, ...files].join("\n\n"),
  };
};

/** Finds an entry of the caller; entries of other people count as absent. */
const find = async ({ deps, message }: CommandCall, caller: Caller, id: string): Promise<Undelivered | undefined> => {
  const entry = await findUndelivered(deps.store, message.tenant, addresseesOf(caller), id);
  return entry && caller.owns(entry.audience) ? entry : undefined;
};

const targetText = ({ target: { kind, channel } }: Undelivered, { inbox }: Texts): string =>
  kind === "private" ? inbox.privateTarget(channelLabel(channel)) : inbox.sharedTarget(channelLabel(channel));
