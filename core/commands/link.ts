import type { ReplyAction } from "../contract/agent-reply.ts";
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
  "too-many": "That was often enough for now. Try again in ten minutes.",
  unknown: "I do not know this code. Look for a slip, or get a new one with `link` in the other channel.",
  void: "This link no longer works. Get a new code with `link` in the other channel.",
  expired: "This has expired. Get a new code with `link` in the other channel.",
  used: "This code was used already; each works once. Get a new one with `link` in the other channel.",
  "same-channel": "This code is from this channel. Enter it where you write to me on another channel.",
  linked: "These two accounts are linked already.",
  taken: "Both accounts are linked with others already. Write `unlink` in one of them first.",
};

/** Links two accounts: a code from one channel, entered in another, then confirmed on both sides (I1). */
export const link: Command = {
  name: "link",
  menu: {
    description: "Connect this account with yours on another channel",
    argument: { name: "code", description: "The code you were given there" },
  },
  usage: "link [code]",
  summary: "make your accounts on two channels one person, so that answers find you in both",
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
  "Accounts are linked in private, because others read along here. A code that was shown here no longer works. " +
  "Write `link` to me in a private conversation.";
const NO_CODE = "A code looks like `7KQ2M-XW94T`. Write `link` alone to get one for another channel.";

const offer = async ({ deps: { store, clock }, message }: CommandCall): Promise<CommandAnswer> => {
  const code = await offerLink(store, message, clock.now());
  if (code === "too-many") return { markdown: problems[code] };
  const shown = spellCode(code);
  return {
    markdown:
      `Your code is \`${shown}\`. In another channel, write to me in private: \`link ${shown}\`\n\n` +
      "It works once, within ten minutes. I then ask you here and there whether both are you. Give it to nobody.",
  };
};

const claim = async (call: CommandCall, code: string): Promise<CommandAnswer> => {
  const { deps, message, record } = call;
  const link = await claimLink(deps.store, message, code, deps.clock.now());
  if (typeof link === "string") return { markdown: problems[link] };
  const { issuer, claimant, tenant } = link;
  const markdown = await question(call, link, claimant, "has entered the code that you got here");
  await notifyAccount(deps.bus, issuer, { tenant, record, about: "link", markdown, actions: choices(link.id) });
  return { markdown: await question(call, link, issuer, "has given out this code"), actions: choices(link.id) };
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
    `**${showAccount(side)}**${also} ${what}. Is that you? Then both accounts see the answers to what either of them ` +
    `asks from now on.\n\nConfirm within ten minutes: \`link confirm ${id}\`. If it is not you: \`link refuse ${id}\``
  );
};

const choices = (linkId: string): ReplyAction[] => [
  { name: "link", label: "Yes, link them", value: `confirm ${linkId}` },
  { name: "link", label: "No, that is not me", value: `refuse ${linkId}` },
];

const confirm = async ({ deps, message, record }: CommandCall, linkId: string): Promise<CommandAnswer> => {
  const confirmed = await confirmLink(deps.store, message, linkId, deps.clock.now());
  if (typeof confirmed === "string") return { markdown: problems[confirmed] };
  const { isLinked, other, link } = confirmed;
  if (!isLinked) return { markdown: `Thank you. Now confirm it as ${showAccount(other)} too.` };
  const me = { name: message.account.name, channel: message.conversation.channel };
  await notifyAccount(deps.bus, other, { tenant: link.tenant, record, about: "linked", markdown: done(me) });
  return { markdown: done(other) };
};

const done = (other: Pick<LinkSide, "name" | "channel">): string =>
  `Linked with ${showAccount(other)}. What you ask from now on is answered in both. \`unlink\` undoes it.`;

const refuse = async ({ deps, message, record }: CommandCall, linkId: string): Promise<CommandAnswer> => {
  const other = await refuseLink(deps.store, message, linkId);
  if (other === undefined) return { markdown: problems.unknown };
  const markdown = "The other side has refused the link. Nothing was linked.";
  await notifyAccount(deps.bus, other, { tenant: message.tenant, record, about: "refused", markdown });
  return { markdown: `Nothing was linked with ${showAccount(other)}.` };
};
