import type { AgentReply } from "../contract/messages/agent-reply.ts";
import { type Conversation, conversationKey, sameConversation, sameRoom } from "../contract/messages/conversation.ts";
import type { DeliveryDefaults, DeliveryPolicy, OriginKind, Reach } from "../contract/messages/delivery-policy.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Store } from "../contract/ports/store.ts";
import type { PersonRecord, Surface } from "../people/index.ts";
import type { BlockedAccounts } from "../rights/index.ts";
import { askerOf } from "./asker.ts";
import { heldUntil } from "./quiet-hours.ts";
import { type Admits, canSee, type Viewer, viewerOf } from "./visibility.ts";

/** A conversation that will show a reply. */
interface Target {
  readonly conversation: Conversation;
  /** The end of quiet hours in milliseconds since 1970; until then the reply waits for a digest (D2). */
  readonly holdUntil?: number;
}

interface TargetDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** The configured delivery defaults of a channel of the agent. */
  readonly defaultsOn: (channel: string) => DeliveryDefaults;
  /** The current access rules of the target's channel. */
  readonly admits: Admits;
  /** Absent: no account is blocked. */
  readonly blocked?: BlockedAccounts | undefined;
}

export interface Targets {
  /** The target conversations of a reply on a channel. */
  targetsOn(channel: string, reply: AgentReply): Promise<readonly Target[]>;
  /** Whether a reply may still be shown in a conversation; the outbox asks again at send time (D3). */
  isStillTarget(reply: AgentReply, conversation: Conversation): Promise<boolean>;
  /** The reply is addressed to a conversation of this channel that the access rules exclude today. */
  hasLostAccess(channel: string, reply: AgentReply, targets: readonly Target[]): boolean;
  /** The next target of a reply that a conversation refuses. */
  afterRefusal(reply: AgentReply, conversation: Conversation): Promise<AfterRefusal>;
}

export const decideTargets = (deps: TargetDeps & SendDeps): Targets => ({
  targetsOn: targetsOn(deps),
  isStillTarget: isStillTarget(deps),
  hasLostAccess,
  afterRefusal: afterRefusal(deps),
});

/** The conversations of one channel that show a reply; always inside its audience (D2). */
export const targetsOn =
  ({ store, clock, defaultsOn, ...rules }: TargetDeps) =>
  async (channel: string, reply: AgentReply): Promise<Target[]> => {
    if (isOfBlocked(rules, reply)) return [];
    const admits = admitsUnblocked(rules, reply);
    const origin = reply.audience.conversation;
    const isAtOrigin = origin.channel === channel && !isRefused(reply, origin);
    const isForAll = isProactive(reply);
    const person = isForAll || isForOtherAccount(reply) ? await askerOf(store, reply) : undefined;
    const atOrigin = isAtOrigin && canSee(reply, origin, person, admits) ? [origin] : [];
    if (!isForAll) return atOrigin.map((conversation) => ({ conversation }));
    const kind = originKindOf(reply);
    const reach = reachFor(kind, person?.policy, defaultsOn(origin.channel).policy);
    const others = secondaryTargets(reply, person, reach, admits)
      .filter((surface) => surface.channel === channel)
      .map(({ conversation }) => conversation);
    return [...atOrigin, ...others].map((conversation) => {
      const isNeverHeld = isUserStarted(kind) || reply.origin?.isReminder === true;
      if (isNeverHeld && sameConversation(conversation, origin)) return { conversation };
      const until = heldUntil(conversation, person, defaultsOn(channel), clock.now());
      return { conversation, ...(until !== undefined && { holdUntil: until }) };
    });
  };

/** The receiving account is not the asking one, so even the origin conversation needs the person. */
const isForOtherAccount = ({ audience }: AgentReply): boolean => audience.askedBy !== undefined;

type Rules = Pick<TargetDeps, "admits" | "blocked">;

/** Work of a blocked account reaches no conversation, shared ones included. */
const isOfBlocked = ({ blocked }: Rules, { tenant, audience }: AgentReply): boolean =>
  blocked?.hasAsker(tenant, audience) === true;

/** A blocked account reads nothing in private, also no results that another account of its person asked for. */
const admitsUnblocked = ({ admits, blocked }: Rules, { tenant }: AgentReply): Admits => {
  if (blocked === undefined) return admits;
  const isBlocked = ({ channel, kind }: Conversation, accountId: string | undefined) =>
    kind === "private" && accountId !== undefined && blocked.has({ tenant, channel, accountId });
  return (conversation, accountId) => admits(conversation, accountId) && !isBlocked(conversation, accountId);
};

interface SendDeps extends Rules, Pick<TargetDeps, "store"> {
  /** Whether the platform still lists the account as a member that may receive messages here. */
  readonly isMember?: (conversation: Conversation, accountId: string) => Promise<boolean>;
}

/** Repeats the decision at the time of sending, because an account may have been unlinked or have lost access (I2). */
export const isStillTarget =
  ({ store, isMember = async () => true, ...rules }: SendDeps) =>
  async (reply: AgentReply, target: Conversation): Promise<boolean> => {
    if (isOfBlocked(rules, reply)) return false;
    const admits = admitsUnblocked(rules, reply);
    const { onlyFor } = reply;
    if (onlyFor !== undefined && !admits({ ...target, kind: "private" }, onlyFor)) return false;
    const viewer = await viewerAt(store, reply, target);
    if (viewer === undefined || !admits(target, viewer.accountId)) return false;
    return target.kind === "shared" || viewer.accountId === undefined || isMember(target, viewer.accountId);
  };

const viewerAt = async (store: Store, reply: AgentReply, target: Conversation): Promise<Viewer | undefined> => {
  // The platform or the store has vouched that only the caller reads the private answer to a command.
  if (reply.onlyFor !== undefined && target.kind === "private") return { accountId: reply.onlyFor };
  const isOrigin = sameConversation(target, reply.audience.conversation);
  return viewerOf(reply, target, isOrigin && !isForOtherAccount(reply) ? undefined : await askerOf(store, reply));
};

/**
 * next: the reply to publish again; it then goes to another conversation.
 * inPrivate: the account that can receive the reply alone, on the same channel.
 */
type AfterRefusal = { readonly next: AgentReply } | { readonly inPrivate: string } | undefined;

/**
 * Finds another target, inside policy and audience, for a reply that a conversation has rejected (D2, D3).
 * Undefined: no other target exists, or another one already shows the reply.
 */
export const afterRefusal =
  ({ store, defaultsOn, ...rules }: Omit<TargetDeps, "clock">) =>
  async (reply: AgentReply, conversation: Conversation): Promise<AfterRefusal> => {
    const { audience } = reply;
    const admits = admitsUnblocked(rules, reply);
    const isRoomOfOrigin = conversation.kind === "shared" && sameConversation(conversation, audience.conversation);
    const alone = isRoomOfOrigin && audience.accountId !== undefined ? { inPrivate: audience.accountId } : undefined;
    if (!isProactive(reply)) return reply.correlationId === undefined ? undefined : alone;
    const person = await askerOf(store, reply);
    const reach = reachFor(originKindOf(reply), person?.policy, defaultsOn(audience.conversation.channel).policy);
    if (reach === "origin") return undefined;
    const next = { ...reply, mayRepeat: true, refusedIn: [...(reply.refusedIn ?? []), conversation] };
    const before = secondaryTargets(reply, person, reach, admits);
    const after = secondaryTargets(next, person, reach, admits);
    const isNew = after.some(
      (surface) => !before.some((each) => sameConversation(each.conversation, surface.conversation)),
    );
    if (isNew) return { next };
    return after.length === 0 ? alone : undefined;
  };

/** Whether a conversation has already rejected this reply. */
const isRefused = ({ refusedIn = [] }: Pick<AgentReply, "refusedIn">, conversation: Conversation): boolean =>
  refusedIn.some((each) => sameConversation(each, conversation));

export const hasLostAccess = (channel: string, reply: AgentReply, targets: readonly Target[]): boolean =>
  reply.audience.conversation.channel === channel &&
  // A refusal there has been reported already.
  !isRefused(reply, reply.audience.conversation) &&
  !targets.some(({ conversation }) => sameConversation(conversation, reply.audience.conversation));

/** The asker's private conversations beside the origin that show a reply, over all channels (D2). */
export const secondaryTargets = (
  reply: AgentReply,
  person: PersonRecord | undefined,
  reach: Reach,
  admits: Admits,
): Surface[] => {
  if (person === undefined || reach === "origin") return [];
  const { surfaces, lastActive } = person;
  const isAllowed = ({ conversation, agent }: Surface) =>
    agent === reply.agent &&
    !isRefused(reply, conversation) &&
    // Another thread of the same room already shows the reply.
    !sameRoom(conversation, reply.audience.conversation) &&
    canSee(reply, conversation, person, admits);
  if (reach === "everywhere") return surfaces.filter(isAllowed);
  const isLast = ({ conversation }: Surface) => conversationKey(conversation) === lastActive;
  const last = surfaces.find(isLast);
  if (last === undefined || !isRefused(reply, last.conversation)) return last && isAllowed(last) ? [last] : [];
  // The last active conversation rejected the reply, so it goes to the newest of the others.
  return surfaces.filter(isAllowed).slice(-1);
};

/** The kind of work behind a reply. Schedules and peer requests use their kind as the channel of their origin. */
export const originKindOf = ({ origin, audience }: Pick<AgentReply, "origin" | "audience">): OriginKind => {
  if (origin?.channel === "scheduled" || origin?.channel === "a2a-inbound") return origin.channel;
  return audience.conversation.kind;
};

export const isUserStarted = (kind: OriginKind): boolean => kind === "private" || kind === "shared";

/** No user waits for it: it may go into a digest and to other conversations, and a reply to it has to find its work. */
export const isProactive = ({ kind, correlationId }: AgentReply): boolean =>
  kind === "final" && correlationId === undefined;

/** The first policy that covers this kind of work decides: the person's, then the channel's, then the agent's. */
export const reachFor = (kind: OriginKind, ...policies: readonly (DeliveryPolicy | undefined)[]): Reach => {
  for (const policy of policies) {
    const reach = policy?.[kind] ?? policy?.default;
    if (reach !== undefined) return reach;
  }
  return "everywhere";
};
