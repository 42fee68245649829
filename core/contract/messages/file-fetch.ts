import { z } from "zod";
import { Attachment } from "./user-message.ts";

/** Asks a channel to fetch a file that a person has sent, before the message that has the file is published. */
export const FileFetch = z.looseObject({
  /** The id of the file; the attachment of the message names it too. */
  id: z.string().min(1),
  tenant: z.string().min(1),
  agent: z.string().min(1),
  /** The sender: stored bytes count for them. */
  account: z.looseObject({ id: z.string().min(1), anonymous: z.boolean().optional() }),
  attachment: Attachment,
  traceId: z.string().min(1),
});
export type FileFetch = z.infer<typeof FileFetch>;
