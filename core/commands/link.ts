import type { ReplyAction } from "../contract/messages/agent-reply.ts";
import { notifyAccount } from "../delivery/index.ts";
import { findPerson, showAccount, showAccounts } from "../people/index.ts";
import {
  type ClaimedLink,
  type ClaimProblem,
  type ConfirmProblem,
  claimLink,
  confirmLink,
  type LinkSide,
  offerLink,
  readCode,
  refuseLink,
  spellCode,
} from "../people/linking/index.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

const problems: Readonly<Record<ClaimProblem | ConfirmProblem, string>> = {
  "too-many": "That was a lot of tries. Please try again in ten minutes.",
  unknown: "I don't know this code. Check it for typos, or get a new one on your other channel.",
  void: "This code no longer works. Get a new one on your other channel.",
  expired: "This code has expired. Get a new one on your other channel.",
  used: "This code was already used, and each works once. Get a new one on your other channel.",
  "same-channel": "This code is from this channel. Send it to me from another channel.",
  linked: "These two accounts are already linked.",
  taken: "Both accounts are already linked with others. Use `/unlink` in one of them first.",
};

/** Links two accounts: a code from one channel, entered in another, then confirmed on both sides (I1). */
export const link: Command = {
  name: "link",
  menu: {
    description: "Link this account with yours on another channel",
    argument: { name: "code", description: "The code from your other channel" },
  },
  usage: "link [code]",
  summary: "link this account with yours on another channel, so that answers reach you on both",
  privately: true,
  async run(call) {
    if (call.message.conversation.kind === "shared") return { markdown: IN_PRIVATE };
    const [word = "", linkId = ""] = call.args.toLowerCase().split(/\s+/);
    if (word === "") return offer(call);
    if (word === "confirm") return confirm(call, linkId);
    if (word === "refuse") return refuse(call, linkId);
    const code = readCode(call.args);
    return code === undefined ? { markdown: NO_CODE } : claim(call, code);
  },
};

const IN_PRIVATE =
  "Others can read this, so codes shown here no longer work. " +
  "Please send me a direct message with `/link` instead.";
const NO_CODE = "A code looks like `7KQ2M-XW94T`. `/link` gives you one for another channel.";

const offer = async ({ deps: { store, clock }, message }: CommandCall): Promise<CommandAnswer> => {
  const code = await offerLink(store, message, clock.now());
  if (code === "too-many") return { markdown: problems[code] };
  const shown = spellCode(code);
  return {
    markdown:
      `Your code is \`${shown}\`. On another channel, send me this in a direct message: \`link ${shown}\`\n\n` +
      "It works once, within ten minutes. I then ask you on both channels to confirm. Keep it to yourself.",
  };
};

const claim = async (call: CommandCall, code: string): Promise<CommandAnswer> => {
  const { deps, message, record } = call;
  const link = await claimLink(deps.store, message, code, deps.clock.now());
  if (typeof link === "string") return { markdown: problems[link] };
  const { issuer, claimant, tenant } = link;
  const markdown = await question(call, link, claimant, "has entered your code");
  await notifyAccount(deps.bus, issuer, { tenant, record, about: "link", markdown, actions: choices(link.id) });
  return { markdown: await question(call, link, issuer, "asked for this code"), actions: choices(link.id) };
};

/** The question to one side; it names the other account and all accounts linked with it. */
const question = async (
  { deps: { store } }: CommandCall,
  { id, tenant }: ClaimedLink,
  side: LinkSide,
  what: string,
): Promise<string> => {
  const { person } = await findPerson(store, { tenant, ...side });
  const others = person.accounts.filter(
    ({ channel, accountId }) => channel !== side.channel || accountId !== side.accountId,
  );
  const also = others.length === 0 ? "" : `, linked with ${showAccounts(others)},`;
  return (
    `**${showAccount(side)}**${also} ${what}. Is that you? If so, both accounts will see the answers to what either of ` +
    `them asks from now on.\n\nConfirm within ten minutes: \`/link confirm ${id}\`. Not you? \`/link refuse ${id}\``
  );
};

const choices = (linkId: string): ReplyAction[] => [
  { name: "link", label: "Link accounts", value: `confirm ${linkId}` },
  { name: "link", label: "Refuse", value: `refuse ${linkId}` },
];

const confirm = async ({ deps, message, record }: CommandCall, linkId: string): Promise<CommandAnswer> => {
  const confirmed = await confirmLink(deps.store, message, linkId, deps.clock.now());
  if (typeof confirmed === "string") return { markdown: problems[confirmed] };
  const { isLinked, other, link } = confirmed;
  if (!isLinked) return { markdown: `Thank you. Please confirm as ${showAccount(other)} too.` };
  const me = { name: message.account.name, channel: message.conversation.channel };
  await notifyAccount(deps.bus, other, { tenant: link.tenant, record, about: "linked", markdown: done(me) });
  return { markdown: done(other) };
};

const done = (other: Pick<LinkSide, "name" | "channel">): string =>
  `Linked with ${showAccount(other)}. From now on, answers reach you on both. \`/unlink\` undoes it.`;

const refuse = async ({ deps, message, record }: CommandCall, linkId: string): Promise<CommandAnswer> => {
  const other = await refuseLink(deps.store, message, linkId);
  if (other === undefined) return { markdown: problems.unknown };
  const markdown = "The other account refused the link, so nothing was linked.";
  await notifyAccount(deps.bus, other, { tenant: message.tenant, record, about: "refused", markdown });
  return { markdown: `Okay, I did not link ${showAccount(other)}.` };
};
