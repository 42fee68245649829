import { z } from "zod";
import { Audience } from "../contract/agent-reply.ts";
import { collection, keyOf, prefixOf } from "../contract/collection.ts";
import { Asker } from "../contract/owner-context.ts";
import { ScheduleAddress } from "../contract/schedule.ts";
import { Destination } from "../delivery/index.ts";
import { When } from "./when.ts";

export const Schedule = ScheduleAddress.extend({
  description: z.string(),
  prompt: z.string(),
  when: When,
  /** What becomes of a time that passed while nothing ran: one run for all of them, or none. */
  missed: z.enum(["once", "skip"]),
  /** Where its results go. The person is looked up anew for each run. */
  destination: Destination,
  asker: Asker,
  /** Who was there when it was made in chat: only they may see and change it (D3). */
  madeFor: Audience.optional(),
  /** Where it was made. */
  madeIn: z.enum(["chat", "configuration", "console"]),
  /** Of the configuration that declares it: tells whether that has changed. */
  wording: z.string().optional(),
  /** A link to the message that made it. */
  link: z.string().optional(),
  status: z.enum(["active", "paused", "ended", "cancelled"]),
  nextDueAt: z.iso.datetime().nullable(),
  /** Runs that failed in a row. */
  failures: z.int().nonnegative(),
  /** The run whose outcome was counted last, so that none is counted twice. */
  counted: z.string().optional(),
  /** Due times that the last failure has put off. */
  putOff: z.looseObject({ dueAt: z.iso.datetime(), through: z.iso.datetime() }).optional(),
  createdAt: z.iso.datetime(),
});
export type Schedule = z.infer<typeof Schedule>;

const schedules = collection("schedules", Schedule);

/** The owner of what the configuration declares. Accounts hold a "/". */
export const CONFIGURED = "configured";
/** Of what operators make. */
export const CONSOLE = "console";
export const ownerOf = (channel: string, accountId: string): string => `${channel}/${accountId}`;

export const scheduleKey = ({ tenant, agent, owner, id }: ScheduleAddress) =>
  keyOf(schedules, tenant, agent, owner, id);
export const schedulesOf = ({ tenant, agent, owner }: Pick<ScheduleAddress, "tenant" | "agent" | "owner">) =>
  prefixOf(schedules, tenant, agent, owner);
export const schedulesOfAgent = ({ tenant, agent }: Pick<ScheduleAddress, "tenant" | "agent">) =>
  prefixOf(schedules, tenant, agent);
