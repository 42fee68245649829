import { z } from "zod";

/** What is known of a task at a remote agent. */
export const RemoteTask = z.looseObject({
  /** Chosen by us, so that a task whose id was lost with a process can be found again. */
  contextId: z.string(),
  /** Known once the remote agent has taken the message. */
  taskId: z.string().optional(),
  /** When it is looked at next, if nothing is heard before; grows from look to look. */
  looks: z.int(),
  /** States that were seen, as "state timestamp": each counts once. */
  seen: z.array(z.string()),
  /** What it asks, until that is answered. */
  question: z.string().optional(),
  /** The round whose question a consultation got as its tool's result: no turn of its own is needed to tell it. */
  questionRead: z.int().optional(),
  /** How often it has asked. */
  rounds: z.int(),
  /** How often the same, by an id of the question: its words could be any, also such as every object has. */
  asked: z.record(z.string(), z.int()),
  /** Our answers, in order; `sent` counts those that have reached it. */
  answers: z.array(z.looseObject({ key: z.string(), text: z.string() })),
  sent: z.int(),
  /** Somebody sends the next one, up to this time; in the past: it was tried. Wall clock, milliseconds. */
  claimedUntil: z.number().optional(),
  /** Since when no request has got an answer. Wall clock, milliseconds. */
  unreachableSince: z.number().optional(),
});
export type RemoteTask = z.infer<typeof RemoteTask>;
