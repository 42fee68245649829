import { z } from "zod";
import { Audience } from "./agent-reply.ts";
import { Asker, OwnerContext } from "./owner-context.ts";
import { PeerChain } from "./peer-chain.ts";
import { ReplyOrigin } from "./reply-origin.ts";

/**
 * Makes a user message one that no person wrote: a turn of the session that nobody waits for. "task" begins work of
 * its own (a schedule's run); the others go on with work whose origin and audience they inherit (O2): "peer" brings
 * another agent's message, "callback" what another agent answered, "late" what came after whoever asked had ended.
 */
export const Synthetic = z.looseObject({
  type: z.enum(["task", "synthesis", "amendment", "wake-up", "peer", "callback", "late"]),
  sessionId: z.string(),
  /** The session begins with it: there is no history to read. */
  isFirst: z.literal(true).optional(),
  origin: ReplyOrigin,
  audience: Audience,
  asker: Asker,
  owner: OwnerContext,
  /** The turn that began it all; absent for one that does. */
  rootTurnId: z.string().optional(),
  /** Nobody waits at a screen: the turn's own text is left out if others work for it. */
  background: z.boolean(),
  /** How often agents have passed it to each other so far. */
  chain: PeerChain.optional(),
  /** What it is about, for the type to know. */
  data: z.record(z.string(), z.unknown()).optional(),
});
export type Synthetic = z.infer<typeof Synthetic>;
