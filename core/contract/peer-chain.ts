import { z } from "zod";

/** How often agents have passed one piece of work to and fro (A4). It travels with the work, also through the protocol. */
export const PeerChain = z.looseObject({
  /** What it all began with. */
  root: z.string(),
  /** How whoever made the latest hop spells the agent that it went to, if that is elsewhere. */
  to: z.string().optional(),
  /** By pair of agents. */
  hops: z.record(z.string(), z.int().nonnegative()),
  /** Wall clock, milliseconds. */
  lastHopAt: z.number(),
});
export type PeerChain = z.infer<typeof PeerChain>;
