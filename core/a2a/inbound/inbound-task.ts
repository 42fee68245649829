import { z } from "zod";
import { RETENTION_MS } from "../../contract/bus.ts";
import { collection, keyOf } from "../../contract/collection.ts";
import { InboundTaskAddress } from "../../contract/inbound-task.ts";
import { LastRead } from "../../contract/last-read.ts";
import type { Store } from "../../contract/store.ts";

export const TaskState = z.enum(["submitted", "working", "input-required", "completed", "failed", "canceled"]);
export type TaskState = z.infer<typeof TaskState>;

/** Something that was said in a task. */
export const Said = z.looseObject({
  id: z.string(),
  from: z.enum(["caller", "agent"]),
  text: z.string(),
  /** A caller's message as the protocol spells it, for the caller to read back. */
  wire: z.record(z.string(), z.unknown()).optional(),
});
export type Said = z.infer<typeof Said>;

/** Where a caller wants to hear of changes. Its secrets are sealed: only the gateway that calls it opens them. */
export const Webhook = z.looseObject({
  id: z.string(),
  url: z.string(),
  token: z.string().optional(),
  authentication: z.looseObject({ scheme: z.string(), credentials: z.string() }).optional(),
  /** The version of the protocol that it was asked for in. */
  version: z.string(),
  /** It could not be reached for so long that it is left alone. */
  isOff: z.boolean().optional(),
});
export type Webhook = z.infer<typeof Webhook>;

/** What another agent has asked of ours. One record, so that every change is one compare-and-set. */
export const InboundTask = InboundTaskAddress.extend({
  contextId: z.string(),
  skill: z.string().optional(),
  state: TaskState,
  /** What its status says, in words. */
  note: z.string().optional(),
  statusAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  /** How often its status has changed. */
  changes: z.int().nonnegative(),
  said: z.array(Said),
  answer: z.string().optional(),
  /** What its turn wants to know from the caller before it goes on. */
  question: z.looseObject({ turnId: z.string(), text: z.string() }).optional(),
  /** It has left work to subtasks. */
  delegated: z.boolean().optional(),
  /** The messages whose turns have ended, by their ids. */
  ended: z.array(z.string()),
  webhooks: z.array(Webhook),
});
export type InboundTask = z.infer<typeof InboundTask>;

/** Whose tasks they are. */
export type TaskOwner = Pick<InboundTaskAddress, "tenant" | "agent" | "caller">;

const tasks = collection("a2a-tasks", InboundTask, { ttlMs: RETENTION_MS });

export const taskKey = ({ tenant, agent, caller, id }: InboundTaskAddress) => keyOf(tasks, tenant, agent, caller, id);

/** Those that were just written are read by whoever waits for them. They may be large, so only few are kept. */
export const tasksRead = new LastRead<InboundTask>(256);

export const readTask = async (store: Store, address: InboundTaskAddress): Promise<InboundTask | undefined> =>
  (await tasksRead.get(store, taskKey(address)))?.value;

/** What has ended stays so: if this process was the one that ended it, nobody need ask the store. */
export const seenEnd = (store: Store, address: InboundTaskAddress): InboundTask | undefined => {
  const task = tasksRead.peek(store, taskKey(address))?.value;
  return task && hasEnded(task) ? task : undefined;
};

export const hasEnded = ({ state }: Pick<InboundTask, "state">): boolean =>
  state === "completed" || state === "failed" || state === "canceled";

/** Nothing happens in it by itself: it has ended, or it is the caller's turn. */
export const isAtRest = (task: Pick<InboundTask, "state">): boolean =>
  hasEnded(task) || task.state === "input-required";
