import { z } from "zod";
import { OwnerContext } from "./owner-context.ts";
import { PeerChain } from "./peer-chain.ts";

/** From where a turn delegates: who owns its subtasks, and how deep it is in other people's work. */
export const DelegationContext = z.looseObject({
  owner: OwnerContext,
  /** 0 for a session's own turn, n for a subtask of depth n. */
  depth: z.int().nonnegative(),
  /** The turn that began it all. Its continuations share its limits. */
  rootTurnId: z.string(),
  background: z.boolean(),
  /** Present in the turn of a subagent. */
  subtaskId: z.string().optional(),
  /** Present if agents have passed the work to each other. */
  chain: PeerChain.optional(),
});
export type DelegationContext = z.infer<typeof DelegationContext>;
