import type { ReplyAction } from "../contract/messages/agent-reply.ts";
import { type Texts, textsFor } from "../contract/texts/texts.ts";
import { notifyAccount } from "../delivery/index.ts";
import {
  accountOf,
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

/** Links two accounts: a code from one, entered in the other, then confirmed on both sides (I1). */
export const link: Command = {
  name: "link",
  needs: "talk",
  argument: "code",
  usage: "link [code]",
  privately: true,
  async run(call) {
    if (call.message.conversation.kind === "shared") return { markdown: call.texts.linking.inPrivate };
    const [verb = "", linkId = ""] = call.args.toLowerCase().split(/\s+/);
    if (verb === "") return offer(call);
    if (verb === "confirm") return confirm(call, linkId);
    if (verb === "refuse") return refuse(call, linkId);
    const code = readCode(call.args);
    return code === undefined ? { markdown: call.texts.linking.noCode } : claim(call, code);
  },
};

const offer = async ({ deps: { store, clock }, message, texts: { linking } }: CommandCall): Promise<CommandAnswer> => {
  const code = await offerLink(store, message, clock.now());
  if (code === "too-many") return { markdown: linking.problems[code] };
  const where = message.account.anonymous ? linking.orInAnotherBrowser : linking.onAnotherChannel;
  return { markdown: linking.code(spellCode(code), where) };
};

const claim = async (call: CommandCall, code: string): Promise<CommandAnswer> => {
  const { deps, message, record, texts } = call;
  const link = await claimLink(deps.store, message, code, deps.clock.now());
  if (typeof link === "string") return { markdown: texts.linking.problems[link] };
  const { issuer, claimant, tenant } = link;
  const theirs = await textsOfAccount(call, { tenant, ...issuer });
  const markdown = await question(call, link, claimant, theirs.linking.entered, theirs);
  const actions = choices(link.id, theirs);
  await notifyAccount(deps.bus, issuer, { tenant, record, about: "link", markdown, actions });
  return {
    markdown: await question(call, link, issuer, texts.linking.askedForIt, texts),
    actions: choices(link.id, texts),
  };
};

/** The language of the person behind another account, else of the caller. */
const textsOfAccount = async (
  { deps, texts, defaults }: CommandCall,
  address: Parameters<typeof findPerson>[1],
): Promise<Texts> => {
  const { person } = await findPerson(deps.store, address);
  const locale = person.locale ?? accountOf(person, address)?.locale ?? defaults.locale;
  return locale === undefined ? texts : textsFor(locale);
};

/**
 * The question to one side; it names the other account and all accounts linked with it. Devices of one channel have no
 * names, so both sides also show the same words.
 */
const question = async (
  { deps: { store } }: CommandCall,
  link: ClaimedLink,
  side: LinkSide,
  event: (account: string) => string,
  texts: Texts,
): Promise<string> => {
  const { id, tenant, issuer, claimant } = link;
  const { linking } = texts;
  const { person } = await findPerson(store, { tenant, ...side });
  const others = person.accounts.filter(
    ({ channel, accountId }) => channel !== side.channel || accountId !== side.accountId,
  );
  const also = others.length === 0 ? "" : linking.linkedWithOthers(showAccounts(others, texts));
  const words = areDevices(issuer, claimant) ? linking.words(wordsOf(link)) : "";
  return `${event(`**${showAccount(side, texts)}**${also}`)} ${words}${linking.isThatYou(id)}`;
};

const choices = (linkId: string, { linking }: Texts): ReplyAction[] => [
  { name: "link", label: linking.confirmButton, value: `confirm ${linkId}` },
  { name: "link", label: linking.refuseButton, value: `refuse ${linkId}` },
];

const confirm = async (call: CommandCall, linkId: string): Promise<CommandAnswer> => {
  const { deps, message, record, texts } = call;
  const confirmed = await confirmLink(deps.store, message, linkId, deps.clock.now());
  if (typeof confirmed === "string") return { markdown: texts.linking.problems[confirmed] };
  const { isLinked, other, link } = confirmed;
  if (!isLinked) return { markdown: texts.linking.confirmToo(showAccount(other, texts)) };
  const { name, device } = message.account;
  const me = { name, device, channel: message.conversation.channel };
  const theirs = await textsOfAccount(call, { tenant: link.tenant, ...other });
  const markdown = theirs.linking.linkedWith(showAccount(me, theirs));
  await notifyAccount(deps.bus, other, { tenant: link.tenant, record, about: "linked", markdown });
  return { markdown: texts.linking.linkedWith(showAccount(other, texts)) };
};

const refuse = async (call: CommandCall, linkId: string): Promise<CommandAnswer> => {
  const { deps, message, record, texts } = call;
  const other = await refuseLink(deps.store, message, linkId);
  if (other === undefined) return { markdown: texts.linking.problems.unknown };
  const markdown = (await textsOfAccount(call, { tenant: message.tenant, ...other })).linking.otherRefused;
  await notifyAccount(deps.bus, other, { tenant: message.tenant, record, about: "refused", markdown });
  return { markdown: texts.linking.refused(showAccount(other, texts)) };
};

/** Unlinks this account from its person, or the person's account on another channel (I1). */
export const unlink: Command = {
  name: "unlink",
  needs: "talk",
  argument: "account",
  usage: "unlink [channel]",
  privately: true,
  async run(call) {
    const { message, args, texts } = call;
    const { linking } = texts;
    if (message.conversation.kind === "shared") return { markdown: linking.unlinkInPrivate };
    const me = { tenant: message.tenant, channel: message.conversation.channel, accountId: message.account.id };
    const { person } = await findPerson(call.deps.store, me);
    const others = person.accounts.filter((account) => !sameAccount(account, me));
    if (others.length === 0) return { markdown: linking.notLinked };
    const own = person.accounts.filter((account) => sameAccount(account, me));
    const leaving = args === "" ? own : others.filter(({ channel }) => channel === args);
    if (leaving.length === 0) {
      const known = linking.isLinkedWith(showAccounts(others, texts));
      return { markdown: `${linking.noneOn(args.slice(0, 40))} ${known}` };
    }
    return leave(call, person, leaving);
  },
};

const leave = async (
  call: CommandCall,
  person: PersonRecord,
  leaving: readonly PersonAccount[],
): Promise<CommandAnswer> => {
  const { deps, message, texts } = call;
  const { linking } = texts;
  if (leaving.some(({ declared }) => declared)) return { markdown: linking.declared };
  // Notifications come first, because a retry after the unlink could no longer find their recipients.
  await notifyAll(call, person, leaving);
  for (const account of leaving) await leavePerson(deps.store, { tenant: message.tenant, ...account });
  const staying = person.accounts.filter((account) => !leaving.includes(account));
  return {
    markdown: linking.unlinked(showAccounts(leaving, texts), showAccounts(staying, texts), leaving.length),
  };
};

/** Every account of the person gets a notification of the change. */
const notifyAll = async (
  call: CommandCall,
  { accounts, surfaces }: PersonRecord,
  leaving: readonly PersonAccount[],
): Promise<void> => {
  const { deps, message, record } = call;
  const { tenant, conversation, account: caller } = message;
  const me = { channel: conversation.channel, accountId: caller.id };
  for (const account of accounts) {
    const recipient = surfaces.findLast((surface) => sameAccount(surface, account));
    if (sameAccount(account, me) || recipient === undefined) continue;
    const theirs = await textsOfAccount(call, { tenant, ...account });
    const markdown = leaving.includes(account)
      ? theirs.linking.thisUnlinked(showAccount({ ...me, ...caller }, theirs))
      : theirs.linking.otherUnlinked(showAccounts(leaving, theirs), leaving.length);
    await notifyAccount(deps.bus, recipient, { tenant, record, about: "unlinked", markdown });
  }
};
