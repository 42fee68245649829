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
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

const IN_PRIVATE = "Please send me a direct message with `/unlink`: I only unlink accounts in private.";
const ALONE = "This account is not linked with another one.";
const DECLARED = "The operator of this service has linked these accounts: please ask them to change it.";

/** Unlinks this account from its person, or the person's account on another channel (I1). */
export const unlink: Command = {
  name: "unlink",
  menu: { description: "Undo a link", argument: { name: "account", description: "The channel of the other account" } },
  usage: "unlink [channel]",
  summary: "unlink this account, or yours on another channel",
  privately: true,
  async run(call) {
    const { message, args } = call;
    if (message.conversation.kind === "shared") return { markdown: IN_PRIVATE };
    const me = { tenant: message.tenant, channel: message.conversation.channel, accountId: message.account.id };
    const { person } = await findPerson(call.deps.store, me);
    const others = person.accounts.filter((account) => !sameAccount(account, me));
    if (others.length === 0) return { markdown: ALONE };
    const mine = person.accounts.filter((account) => sameAccount(account, me));
    const leaving = args === "" ? mine : others.filter(({ channel }) => channel === args);
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
    const place = surfaces.findLast((surface) => sameAccount(surface, account));
    if (sameAccount(account, me) || place === undefined) continue;
    const markdown = leaving.includes(account)
      ? `This account is no longer linked with ${showAccount({ ...me, name: caller.name })}.`
      : `${showAccounts(leaving)} is no longer linked with this account.`;
    await notifyAccount(deps.bus, place, { tenant, record, about: "unlinked", markdown });
  }
};
