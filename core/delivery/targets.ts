import type { AgentReply } from "../contract/agent-reply.ts";
import type { Clock } from "../contract/clock.ts";
import type { Conversation } from "../contract/conversation.ts";
import { conversationKey, sameConversation } from "../contract/conversation.ts";
import type { DeliveryDefaults } from "../contract/delivery-policy.ts";
import type { Store } from "../contract/store.ts";
import { type PersonRecord, quietUntil } from "../people/index.ts";
import { askerOf } from "./asker-of.ts";
import type { Admits, Reader } from "./may-show.ts";
import { mayShow, seenBy } from "./may-show.ts";
import { isRefused, otherSurfaces } from "./other-surfaces.ts";
import { isUserStarted, originKindOf, reachFor } from "./policy-for.ts";
import type { Target } from "./target.ts";

export interface TargetParts {
  readonly store: Store;
  readonly clock: Clock;
  /** What the configuration says for a channel of the agent. */
  readonly defaultsOn: (channel: string) => DeliveryDefaults;
  /** Today's access of the channel that is asked about. */
  readonly admits: Admits;
}

/** The conversations of one channel in which a reply is shown; always inside its audience (D2). */
export const targetsOn =
  ({ store, clock, defaultsOn, admits }: TargetParts) =>
  async (channel: string, reply: AgentReply): Promise<Target[]> => {
    const origin = reply.audience.conversation;
    const isAtOrigin = origin.channel === channel && !isRefused(reply, origin);
    const isForAll = isUnsolicitedFinal(reply);
    const person = isForAll || isAtAnother(reply) ? await askerOf(store, reply) : undefined;
    const atOrigin = isAtOrigin && mayShow(reply, origin, person, admits) ? [origin] : [];
    if (!isForAll) return atOrigin.map((conversation) => ({ conversation }));
    const kind = originKindOf(reply);
    const reach = reachFor(kind, person?.policy, defaultsOn(origin.channel).policy);
    const others = otherSurfaces(reply, person, reach, admits)
      .filter((surface) => surface.channel === channel)
      .map(({ conversation }) => conversation);
    return [...atOrigin, ...others].map((conversation) => {
      const isNeverHeld = isUserStarted(kind) || reply.origin?.isReminder === true;
      if (isNeverHeld && sameConversation(conversation, origin)) return { conversation };
      const until = heldUntil(conversation, person, defaultsOn(channel), clock.now());
      return { conversation, ...(until !== undefined && { holdUntil: until }) };
    });
  };

/** Solicited replies and progress go to the origin conversation only. */
export const isUnsolicitedFinal = ({ kind, correlationId }: AgentReply): boolean =>
  kind === "final" && correlationId === undefined;

/** It was made for another account of the asker, so the person is looked up even for the origin conversation. */
const isAtAnother = ({ audience }: AgentReply): boolean => audience.askedBy !== undefined;

/** A person's quiet hours are for their own conversations; a room goes by its channel's. */
const heldUntil = (
  conversation: Conversation,
  person: PersonRecord | undefined,
  { quietHours, timeZone }: DeliveryDefaults,
  now: number,
): number | undefined => {
  const isTheirs = conversation.kind === "private";
  const quiet = (isTheirs ? person?.quiet : undefined) ?? quietHours;
  if (quiet === undefined || quiet === "off") return undefined;
  return quietUntil(quiet, quiet.timeZone ?? (isTheirs ? zoneOf(person) : undefined) ?? timeZone, now);
};

/** Of the account that they last wrote with, if its platform tells. */
const zoneOf = (person: PersonRecord | undefined): string | undefined => {
  const active = person?.surfaces.find(({ conversation }) => conversationKey(conversation) === person.lastActive);
  const zones = person?.accounts.filter(({ timeZone }) => timeZone !== undefined) ?? [];
  return (zones.find(({ accountId }) => accountId === active?.accountId) ?? zones[0])?.timeZone;
};

export interface SendParts extends Pick<TargetParts, "store" | "admits"> {
  /** Whether the platform still knows an account as one that may be talked to here. */
  readonly isMember?: (conversation: Conversation, accountId: string) => Promise<boolean>;
}

/** The same decision again, when it is sent: an account may have been unlinked meanwhile, or have lost its access (I2). */
export const isStillTarget =
  ({ store, admits, isMember = async () => true }: SendParts) =>
  async (reply: AgentReply, target: Conversation): Promise<boolean> => {
    const { onlyFor } = reply;
    if (onlyFor !== undefined && !admits({ ...target, kind: "private" }, onlyFor)) return false;
    const reader = await readerOf(store, reply, target);
    if (reader === undefined || !admits(target, reader.accountId)) return false;
    return target.kind === "shared" || reader.accountId === undefined || isMember(target, reader.accountId);
  };

const readerOf = async (store: Store, reply: AgentReply, target: Conversation): Promise<Reader | undefined> => {
  // The answer to a private command goes where the platform, or the store, says that its caller is alone.
  if (reply.onlyFor !== undefined && target.kind === "private") return { accountId: reply.onlyFor };
  const isOrigin = sameConversation(target, reply.audience.conversation);
  return seenBy(reply, target, isOrigin && !isAtAnother(reply) ? undefined : await askerOf(store, reply));
};
