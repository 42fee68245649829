import { z } from "zod";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import type { DeliveryFailure } from "../../contract/delivery-failed.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";

/** Why Teams rejects every message for a conversation until something changes there. */
const ReachState = z.enum(["removed", "blocked", "disabled"]);
export type ReachState = z.infer<typeof ReachState>;

/** The stored state of an unreachable conversation. */
export const Unreachable = z.looseObject({
  state: ReachState,
  since: z.iso.datetime(),
  /** Absent: Teams reports the change by an activity. */
  askAgainAt: z.iso.datetime().optional(),
});
export type Unreachable = z.infer<typeof Unreachable>;

const HOUR_MS = 3_600_000;

/** Texts begin with the state. Teams reports no activity when a person or an administrator lifts a block. */
const MEANING: Readonly<Record<ReachState, { reason: DeliveryFailure; text: string; askAgainMs?: number }>> = {
  removed: { reason: "target-gone", text: "the app is no longer installed there; it must be added again" },
  blocked: {
    reason: "forbidden",
    text: "the person has blocked the app in Teams, and can unblock it there",
    askAgainMs: 24 * HOUR_MS,
  },
  disabled: {
    reason: "forbidden",
    text: "an administrator has disabled the app in the Teams admin center",
    askAgainMs: HOUR_MS,
  },
};

const BY_CODE: Readonly<Record<string, ReachState>> = {
  BotNotInConversationRoster: "removed",
  ConversationBlockedByUser: "blocked",
  MessageWritesBlocked: "blocked",
  BotDisabledByAdmin: "disabled",
};

export const reachStateOf = (code: string | undefined): ReachState | undefined => BY_CODE[code ?? ""];

export const reasonText = (state: ReachState): string => `${state}: ${MEANING[state].text}`;

export const reachFailure = (state: ReachState, cause?: unknown): DeliveryFailed =>
  new DeliveryFailed(MEANING[state].reason, reasonText(state), { cause });

/** The state to store after Teams reported it. */
export const unreachableFrom = (state: ReachState, before: Unreachable | undefined, now: number): Unreachable => {
  const { askAgainMs } = MEANING[state];
  return {
    state,
    since: before?.state === state ? before.since : isoTime(now),
    ...(askAgainMs !== undefined && { askAgainAt: isoTime(now + askAgainMs) }),
  };
};

export const isRetryDue = ({ askAgainAt }: Unreachable, now: number): boolean =>
  askAgainAt !== undefined && now >= Date.parse(askAgainAt);
