import type { AgentReply } from "../contract/messages/agent-reply.ts";
import { type Conversation, sameConversation, sameRoom } from "../contract/messages/conversation.ts";
import type { UserMessage } from "../contract/messages/user-message.ts";
import type { Asker, Audience } from "../contract/messages/work-context.ts";
import type { Store } from "../contract/ports/store.ts";
import type { ViewerTime } from "../contract/relative-time.ts";
import { type Texts, textsFor } from "../contract/texts/texts.ts";
import {
  accountOf,
  askingAccount,
  belongsTo,
  findPerson,
  type OwnAccount,
  type PersonRecord,
  type Surface,
  sameAccount,
} from "../people/index.ts";
import { askerOf } from "./asker.ts";

type Shown = Pick<AgentReply, "audience" | "onlyFor">;

/** Whether the channel's access rules currently allow messages to a conversation and, in private, to its account (I2). */
export type Admits = (conversation: Conversation, accountId: string | undefined) => boolean;

/** Whether a reply may appear in a conversation, by its audience and by the channel's access rules (D3). */
export const canSee = (
  reply: Shown,
  target: Conversation,
  person: PersonRecord | undefined,
  admits: Admits,
): boolean => {
  const viewer = viewerOf(reply, target, person);
  return viewer !== undefined && admits(target, viewer.accountId);
};

/** The reader of a reply in a conversation; a private conversation has a known account. */
export interface Viewer {
  readonly accountId: string | undefined;
}

/**
 * The single decision about who sees a reply in a conversation; undefined if the reply must not appear there (D3).
 * `person` is the current owner of the asking account. Everyone in the origin conversation sees the reply. Elsewhere
 * only a private conversation may show it, and only if its account was linked with the asker's when the work began and
 * has stayed linked since.
 */
export const viewerOf = (reply: Shown, target: Conversation, person: PersonRecord | undefined): Viewer | undefined => {
  const { conversation, accountId, askedBy } = reply.audience;
  if (askedBy === undefined && sameConversation(target, conversation)) return { accountId };
  const surface = person && surfaceAt(person, target);
  return surface && isAskersSurface(reply, person, surface) ? { accountId: surface.accountId } : undefined;
};

/** The person's surface at a private conversation. */
const surfaceAt = ({ surfaces }: PersonRecord, target: Conversation): Surface | undefined =>
  target.kind === "private" ? surfaces.find(({ conversation }) => sameRoom(conversation, target)) : undefined;

const isAskersSurface = ({ audience, onlyFor }: Shown, person: PersonRecord, surface: Surface): boolean => {
  const asker = askingAccount(audience);
  // Only the account that gave a private command sees its answer.
  if (onlyFor !== undefined) return asker !== undefined && sameAccount(surface, asker);
  return belongsTo(person, { by: asker, personId: audience.personId, membership: audience.membership }, surface);
};

/**
 * Whether a reply in this conversation may use the context of the work that it refers to (O14). Every reader here must
 * belong to the work's audience: a shared conversation must be the room where the work began, and a private one must be
 * allowed to show its answers. The channel's access rules already admitted the writer.
 */
export const mayContinue = async (
  store: Store,
  { audience }: { readonly audience: Audience },
  { tenant, conversation }: Pick<UserMessage, "tenant" | "conversation">,
): Promise<boolean> => {
  const began = audience.conversation;
  if (conversation.kind === "shared") return began.kind === "shared" && sameRoom(conversation, began);
  return canSee({ audience }, conversation, await askerOf(store, { tenant, audience }), () => true);
};

/** Time zone and locale of the reader, if they chose them or their account reports them. Shared conversations have many readers: {}. */
export const viewerTimeIn = async (
  store: Store,
  reply: Pick<AgentReply, "tenant" | "audience">,
  target: Conversation,
): Promise<ViewerTime> => {
  if (target.kind === "shared") return {};
  const person = await askerOf(store, reply);
  const surface = person?.surfaces.find(({ conversation }) => sameRoom(conversation, target));
  const { timeZone, locale } = (person && surface && accountOf(person, surface)) ?? {};
  return { timeZone: person?.timeZone ?? timeZone, locale: person?.locale ?? locale };
};

/** The texts for the readers of a notice: in the language that the person has now, else in that of the work's asker. */
export const textsForReaders = async (
  store: Store,
  work: Pick<AgentReply, "tenant" | "audience"> & { readonly asker?: Pick<Asker, "locale"> | undefined },
): Promise<Texts> => {
  const { locale } = await viewerTimeIn(store, work, work.audience.conversation);
  return textsFor(locale ?? work.asker?.locale);
};

/** The person behind a command or a tool call, and the work that they may see. */
export interface Caller {
  readonly person: PersonRecord;
  /** The account that they write with comes first. */
  readonly accounts: readonly OwnAccount[];
  /** Whether this account asked for the work, or an account that was already linked with it at that time (D3). */
  readonly owns: (audience: Audience) => boolean;
}

/** The account and the conversation of an incoming message. */
export interface Writer {
  readonly tenant: string;
  readonly conversation: Conversation;
  readonly accountId: string;
}

export const callerAt = async (store: Store, { tenant, conversation, accountId }: Writer): Promise<Caller> => {
  const own: OwnAccount = { channel: conversation.channel, accountId };
  const { person } = await findPerson(store, { tenant, ...own });
  const surface = person.surfaces.find((one) => sameAccount(one, own))?.conversation;
  const viewedIn = conversation.kind === "private" ? conversation : surface;
  return {
    person,
    accounts: [own, ...person.accounts.filter((other) => !sameAccount(other, own))],
    owns: (audience) => {
      const asker = askingAccount(audience);
      if (asker !== undefined && sameAccount(asker, own)) return true;
      return viewedIn !== undefined && canSee({ audience }, viewedIn, person, () => true);
    },
  };
};
