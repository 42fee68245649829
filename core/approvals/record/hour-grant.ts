import { z } from "zod";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import type { Asker, Audience, ReplyOrigin } from "../../contract/messages/work-context.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import { askingAccount, type OwnAccount } from "../../people/index.ts";
import type { Approval } from "./approval-record.ts";

const ONE_HOUR_MS = 3_600_000;

/** An approval that holds for an hour, of one account, one tool and its definition (T4). */
const HourGrant = z.looseObject({ until: z.iso.datetime(), approval: z.string() });

const grants = collection("approval-grants", HourGrant, { ttlMs: ONE_HOUR_MS });

const grantKey = (
  { tenant, agent }: AgentRef,
  { channel, accountId }: OwnAccount,
  { tool, definition }: Pick<Approval, "tool" | "definition">,
) => keyOf(grants, tenant, agent, channel, accountId, tool, definition);

interface Work {
  readonly audience: Audience;
  readonly asker: Asker;
  readonly origin: ReplyOrigin;
}

/**
 * The account whose hour covers the work: it asked in a private conversation, and no one else led to the work. Schedules
 * and other agents ask each time.
 */
const accountOf = ({ audience, asker, origin }: Work): OwnAccount | undefined => {
  const account = askingAccount(audience);
  const [cause, ...others] = asker.causes ?? [];
  const isOwn = others.length === 0 && cause?.channel === account?.channel && cause?.id === account?.accountId;
  const isPrivate = audience.conversation.kind === "private" && origin.channel === audience.conversation.channel;
  return isOwn && isPrivate ? account : undefined;
};

/** Whether people may approve calls like this one for an hour. */
export const mayHold = (approval: Work & Pick<Approval, "isDestructive" | "asked">): boolean =>
  !approval.isDestructive && !approval.asked.isHome && accountOf(approval) !== undefined;

/** Called for an approval whose decision is stored. Idempotent: the hour counts from the decision. */
export const grantHour = async (store: Store, approval: Approval, now: number): Promise<void> => {
  const account = mayHold(approval) ? accountOf(approval) : undefined;
  const until = Date.parse(approval.decidedAt ?? approval.createdAt) + ONE_HOUR_MS;
  if (account === undefined || until <= now) return;
  const grant = { until: isoTime(until), approval: approval.id };
  await store.put(grantKey(approval, account, approval), grant, { ttlMs: until - now });
};

/** Whether an approval of the last hour covers the call. */
export const isGranted = async (
  store: Store,
  ref: AgentRef,
  work: Work,
  tool: Pick<Approval, "tool" | "definition">,
  now: number,
): Promise<boolean> => {
  const account = accountOf(work);
  if (account === undefined) return false;
  const grant = (await store.get(grantKey(ref, account, tool)))?.value;
  return grant !== undefined && Date.parse(grant.until) > now;
};
