import { z } from "zod";

/** Where the record of one message to another agent is kept: with whoever sent it. */
export const PeerCallAddress = z.looseObject({ tenant: z.string(), agent: z.string(), id: z.string() });
export type PeerCallAddress = z.infer<typeof PeerCallAddress>;
