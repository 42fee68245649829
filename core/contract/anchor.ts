import { z } from "zod";

/** An origin as a channel shows it: present exactly when it is to be shown. */
export const Anchor = z.looseObject({
  summary: z.string(),
  /** The name of the channel the work began on, "scheduled" or "a2a-inbound". */
  channel: z.string(),
  startedAt: z.iso.datetime(),
  link: z.string().optional(),
  /** The text form, for channels without anything better. */
  text: z.string(),
});
export type Anchor = z.infer<typeof Anchor>;
