import { z } from "zod";

/** Not stored: something about a channel is to be looked at now. */
export const ChannelChanged = z.looseObject({ channel: z.string() });
export type ChannelChanged = z.infer<typeof ChannelChanged>;
