import type { ReplyAction } from "../contract/messages/agent-reply.ts";
import { notifyAccount } from "../delivery/index.ts";
import {
  findPerson,
  leavePerson,
  type PersonAccount,
  type PersonRecord,
  sameAccount,
  showAccount,
  showAccounts,
} from "../people/index.ts";
import {
  areDevices,
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
  wordsOf,
} from "../people/linking/index.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

const problems: Readonly<Record<ClaimProblem | ConfirmProblem, string>> = {
  "too-many": "That was a lot of tries. Please try again in ten minutes.",
  unknown: "I don't know this code. Check it for typos, or get a new one on your other channel.",
  void: "This code no longer works. Get a new one on your other channel.",
  expired: "This code has expired. Get a new one on your other channel.",
  used: "This code was already used, and each works once. Get a new one on your other channel.",
  "same-account": "You asked for this code here. Send it to me from another channel or another browser.",
  "same-channel": "This code is from this channel. Send it to me from another channel.",
  linked: "These two accounts are already linked.",
  taken: "Both accounts are already linked with others. Use `/unlink` in one of them first.",
};

/** Links two accounts: a code from one, entered in the other, then confirmed on both sides (I1). */
export const link: Command = {
  name: "link",
  needs: "talk",
  menu: {
    description: "Link this account with yours on another channel",
    argument: { name: "code", description: "The code from your other channel or browser" },
  },
  usage: "link [code]",
  summary: "link this account with yours on another channel or in another browser, so that answers reach you on both",
  privately: true,
  async run(call) {
    if (call.message.conversation.kind === "shared") return { markdown: LINK_IN_PRIVATE };
    const [verb = "", linkId = ""] = call.args.toLowerCase().split(/\s+/);
    if (verb === "") return offer(call);
    if (verb === "confirm") return confirm(call, linkId);
    if (verb === "refuse") return refuse(call, linkId);
    const code = readCode(call.args);
    return code === undefined ? { markdown: NO_CODE } : claim(call, code);
  },
};

const LINK_IN_PRIVATE =
  "Others can read this, so codes shown here no longer work. " +
  "Please send me a direct message with `/link` instead.";
const NO_CODE = "A code looks like `7KQ2M-XW94T`. `/link` gives you one for another channel.";

const offer = async ({ deps: { store, clock }, message }: CommandCall): Promise<CommandAnswer> => {
  const code = await offerLink(store, message, clock.now());
  if (code === "too-many") return { markdown: problems[code] };
  const shown = spellCode(code);
  const where = message.account.anonymous ? "On another channel, or in another browser" : "On another channel";
  return {
    markdown:
      `Your code is \`${shown}\`. ${where}, send me this in a direct message: \`link ${shown}\`\n\n` +
      "It works once, within ten minutes. I then ask you on both sides to confirm. Keep it to yourself.",
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

/**
 * The question to one side; it names the other account and all accounts linked with it. Devices of one channel have no
 * names, so both sides also show the same words.
 */
const question = async (
  { deps: { store } }: CommandCall,
  link: ClaimedLink,
  side: LinkSide,
  event: string,
): Promise<string> => {
  const { id, tenant, issuer, claimant } = link;
  const { person } = await findPerson(store, { tenant, ...side });
  const others = person.accounts.filter(
    ({ channel, accountId }) => channel !== side.channel || accountId !== side.accountId,
  );
  const also = others.length === 0 ? "" : `, linked with ${showAccounts(others)},`;
  const words = areDevices(issuer, claimant)
    ? `The other browser must show the same two words: **${wordsOf(link)}**. If it does not, refuse.\n\n`
    : "";
  return (
    `**${showAccount(side)}**${also} ${event}. ${words}Is that you? If so, both accounts will see the answers to what either of ` +
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
  const { name, device } = message.account;
  const me = { name, device, channel: message.conversation.channel };
  await notifyAccount(deps.bus, other, { tenant: link.tenant, record, about: "linked", markdown: linkedText(me) });
  return { markdown: linkedText(other) };
};

const linkedText = (other: Parameters<typeof showAccount>[0]): string =>
  `Linked with ${showAccount(other)}. From now on, answers reach you on both. \`/unlink\` undoes it.`;

const refuse = async ({ deps, message, record }: CommandCall, linkId: string): Promise<CommandAnswer> => {
  const other = await refuseLink(deps.store, message, linkId);
  if (other === undefined) return { markdown: problems.unknown };
  const markdown = "The other account refused the link, so nothing was linked.";
  await notifyAccount(deps.bus, other, { tenant: message.tenant, record, about: "refused", markdown });
  return { markdown: `Okay, I did not link ${showAccount(other)}.` };
};

const UNLINK_IN_PRIVATE = "Please send me a direct message with `/unlink`: I only unlink accounts in private.";
const NOT_LINKED = "This account is not linked with another one.";
const DECLARED = "The operator of this service has linked these accounts: please ask them to change it.";

/** Unlinks this account from its person, or the person's account on another channel (I1). */
export const unlink: Command = {
  name: "unlink",
  needs: "talk",
  menu: { description: "Undo a link", argument: { name: "account", description: "The channel of the other account" } },
  usage: "unlink [channel]",
  summary: "unlink this account, or yours on another channel",
  privately: true,
  async run(call) {
    const { message, args } = call;
    if (message.conversation.kind === "shared") return { markdown: UNLINK_IN_PRIVATE };
    const me = { tenant: message.tenant, channel: message.conversation.channel, accountId: message.account.id };
    const { person } = await findPerson(call.deps.store, me);
    const others = person.accounts.filter((account) => !sameAccount(account, me));
    if (others.length === 0) return { markdown: NOT_LINKED };
    const own = person.accounts.filter((account) => sameAccount(account, me));
    const leaving = args === "" ? own : others.filter(({ channel }) => channel === args);
    if (leaving.length === 0)
      return { markdown: `You have no linked account on "${args.slice(0, 40)}". ${linkedWith(others)}` };
    return leave(call, person, leaving);
  },
};

const linkedWith = (others: readonly PersonAccount[]): string => `This account is linked with ${showAccounts(others)}.`;

const leave = async (
  call: CommandCall,
  person: PersonRecord,
  leaving: readonly PersonAccount[],
): Promise<CommandAnswer> => {
  const { deps, message } = call;
  if (leaving.some(({ declared }) => declared)) return { markdown: DECLARED };
  // Notifications come first, because a retry after the unlink could no longer find their recipients.
  await notifyAll(call, person, leaving);
  for (const account of leaving) await leavePerson(deps.store, { tenant: message.tenant, ...account });
  const staying = person.accounts.filter((account) => !leaving.includes(account));
  return { markdown: `${showAccounts(leaving)} is no longer linked with ${showAccounts(staying)}.` };
};

/** Every account of the person gets a notification of the change. */
const notifyAll = async (
  { deps, message, record }: CommandCall,
  { accounts, surfaces }: PersonRecord,
  leaving: readonly PersonAccount[],
): Promise<void> => {
  const { tenant, conversation, account: caller } = message;
  const me = { channel: conversation.channel, accountId: caller.id };
  for (const account of accounts) {
    const recipient = surfaces.findLast((surface) => sameAccount(surface, account));
    if (sameAccount(account, me) || recipient === undefined) continue;
    const markdown = leaving.includes(account)
      ? `This account is no longer linked with ${showAccount({ ...me, ...caller })}.`
      : `${showAccounts(leaving)} is no longer linked with this account.`;
    await notifyAccount(deps.bus, recipient, { tenant, record, about: "unlinked", markdown });
  }
};
