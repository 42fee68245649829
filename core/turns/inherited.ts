import { z } from "zod";
import { Audience } from "../contract/agent-reply.ts";
import { DelegationContext } from "../contract/delegation-context.ts";
import { Asker } from "../contract/owner-context.ts";
import { ReplyOrigin } from "../contract/reply-origin.ts";

/** What a turn hands on to whatever goes on with its work (O2). */
export const Inherited = z.object({
  sessionId: z.string(),
  standing: DelegationContext,
  origin: ReplyOrigin,
  audience: Audience,
  asker: Asker,
  traceId: z.string(),
});
export type Inherited = z.infer<typeof Inherited>;

export const inheritedFrom = ({ sessionId, standing, origin, audience, asker, traceId }: Inherited): Inherited => ({
  sessionId,
  standing,
  origin,
  audience,
  asker,
  traceId,
});
