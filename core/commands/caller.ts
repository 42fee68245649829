import type { Audience } from "../contract/agent-reply.ts";
import { mayShow } from "../delivery/may-show.ts";
import { findPerson } from "../people/find-person.ts";
import type { PersonRecord } from "../people/person-record.ts";
import type { CommandCall } from "./command.ts";

/** An account, by the channel it is on. */
export interface OwnAccount {
  readonly channel: string;
  readonly accountId: string;
}

/** Who gives a command, and what they may be told of. */
export interface Caller {
  readonly person: PersonRecord;
  /** The one they write with first. */
  readonly accounts: readonly OwnAccount[];
  /** Whether work with this audience is theirs: begun with this account, or with one that was theirs as well by then (D3). */
  readonly owns: (audience: Audience) => boolean;
}

export const callerOf = async ({ parts: { store }, message }: CommandCall): Promise<Caller> => {
  const { tenant, conversation, account } = message;
  const own: OwnAccount = { channel: conversation.channel, accountId: account.id };
  const { person } = await findPerson(store, { tenant, ...own });
  const isOwn = ({ channel, accountId }: OwnAccount) => channel === own.channel && accountId === own.accountId;
  const surface = person.surfaces.find(isOwn)?.conversation;
  const place = conversation.kind === "private" ? conversation : surface;
  return {
    person,
    accounts: [own, ...person.accounts.filter((other) => !isOwn(other))],
    owns: (audience) => {
      const { accountId, conversation: began } = audience;
      if (accountId !== undefined && isOwn({ channel: began.channel, accountId })) return true;
      return place !== undefined && mayShow({ audience }, place, person, () => true);
    },
  };
};
