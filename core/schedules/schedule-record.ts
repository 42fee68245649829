import { z } from "zod";
import { type AgentRef, ScheduleAddress } from "../contract/messages/addresses.ts";
import { Asker, Audience } from "../contract/messages/work-context.ts";
import { collection, keyOf, prefixOf } from "../contract/ports/store.ts";
import type { Ability } from "../contract/rights.ts";
import { Destination } from "../delivery/index.ts";
import type { CoreDeps } from "../turns/index.ts";
import type { DueIndex } from "./due-index.ts";
import { When } from "./when/index.ts";

export const Schedule = ScheduleAddress.extend({
  description: z.string(),
  prompt: z.string(),
  when: When,
  /** The policy for due times missed during downtime: one run for all of them, or none. */
  missed: z.enum(["once", "skip"]),
  /** The target of its results. Each run resolves the person again. */
  destination: Destination,
  asker: Asker,
  /** The audience of the chat that made it; only they may see and change it (D3). */
  madeFor: Audience.optional(),
  madeIn: z.enum(["chat", "configuration", "console"]),
  /** A hash of its configuration, to detect changes; absent if it is not declared there. */
  wording: z.string().optional(),
  /** Addresses in the prompt that the asker wrote in the chat that made it; the model may have added others. */
  urls: z.array(z.string()).optional(),
  /** A link to the message that created it. */
  link: z.string().optional(),
  status: z.enum(["active", "paused", "ended", "cancelled"]),
  nextDueAt: z.iso.datetime().nullable(),
  /** Consecutive failed runs. */
  failures: z.int().nonnegative(),
  /** The run whose outcome was counted last, so that a redelivery does not count it twice. */
  counted: z.string().optional(),
  /** Due times skipped by the backoff after the last failure. */
  putOff: z.looseObject({ dueAt: z.iso.datetime(), through: z.iso.datetime() }).optional(),
  createdAt: z.iso.datetime(),
  /** Why it is paused. Absent in records of versions up to 0.2.0. */
  paused: z.looseObject({ reason: z.string(), at: z.iso.datetime() }).optional(),
  /** The name of the last run at a due time, or of the reason why there was none. */
  lastRun: z.string().optional(),
  /** When a person or an operator last resumed it. */
  resumedAt: z.iso.datetime().optional(),
});
export type Schedule = z.infer<typeof Schedule>;

const schedules = collection("schedules", Schedule);

/** The owner of configured schedules. It cannot clash with an account, which contains a "/". */
export const CONFIGURED = "configured";
/** The owner of schedules that operators create. */
export const CONSOLE = "console";
export const ownerOf = (channel: string, accountId: string): string => `${channel}/${accountId}`;

/** The owner and asker of schedules that no person made in a chat: their runs have the rights of operators. */
const ownedByOperators = (owner: string, { agent }: Pick<AgentRef, "agent">): Pick<Schedule, "owner" | "asker"> => ({
  owner,
  asker: { personId: owner, accountId: owner, name: agent, causes: [{ speaker: "operator" }] },
});
export const configuredOwner = (ref: Pick<AgentRef, "agent">) => ownedByOperators(CONFIGURED, ref);
export const consoleOwner = (ref: Pick<AgentRef, "agent">) => ownedByOperators(CONSOLE, ref);

export const scheduleKey = ({ tenant, agent, owner, id }: ScheduleAddress) =>
  keyOf(schedules, tenant, agent, owner, id);
export const schedulesOf = ({ tenant, agent, owner }: AgentRef & Pick<ScheduleAddress, "owner">) =>
  prefixOf(schedules, tenant, agent, owner);
export const schedulesOfAgent = ({ tenant, agent }: AgentRef) => prefixOf(schedules, tenant, agent);

/** The right that a schedule needs, when it is made and at every run. */
export const needOf = ({ kind }: Pick<When, "kind">): Ability => (kind === "once" ? "remind" : "schedule");

export const isOpen = ({ status }: Pick<Schedule, "status">): boolean => status === "active" || status === "paused";

/** Dependencies of all functions that read or change schedules. */
export interface ScheduleDeps extends Pick<CoreDeps, "bus" | "store" | "clock" | "logger" | "meter" | "checkpoint"> {
  readonly dueTimes: DueIndex;
}
