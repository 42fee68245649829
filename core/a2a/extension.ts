import { z } from "zod";

/** Our extension of the protocol: what a message carries so that chains of agents can be bounded and explained. */
export const REPLY_ORIGIN_EXTENSION = "urn:mooring:reply-origin:v1";

const MAX_PAIRS = 50;
const Short = z.string().max(500);

/** It comes from elsewhere: nothing in it is believed further than that it can only make a chain shorter. */
export const ReplyOriginExtension = z.looseObject({
  /** How many hops each pair of agents has made so far, by the pair's spelling. */
  hops: z
    .record(Short, z.int().nonnegative().max(1_000))
    .refine((hops) => Object.keys(hops).length <= MAX_PAIRS, `has more than ${MAX_PAIRS} pairs`),
  /** How the sender spells the agent that it writes to, in the pairs too. */
  to: Short.optional(),
  /** The message that began it all. */
  rootCorrelationId: Short,
  /** Where it began, in words. */
  origin: z.looseObject({ channel: Short, promptSummary: Short, startedAt: z.iso.datetime() }).optional(),
  /** What is expected of whoever gets it. */
  msgType: z.enum(["notify", "task_delegate", "consult"]).optional().catch(undefined),
});
export type ReplyOriginExtension = z.infer<typeof ReplyOriginExtension>;

type Metadata = Readonly<Record<string, unknown>>;

/** Undefined: there is none, or it cannot be read. */
export const readExtension = (metadata: Metadata | undefined): ReplyOriginExtension | undefined => {
  const extension = metadata?.[REPLY_ORIGIN_EXTENSION];
  return extension === undefined ? undefined : ReplyOriginExtension.safeParse(extension).data;
};

export const withExtension = (metadata: Metadata | undefined, extension: ReplyOriginExtension): Metadata => ({
  ...metadata,
  [REPLY_ORIGIN_EXTENSION]: extension,
});
