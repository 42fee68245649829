import { z } from "zod";
import type { AgentReply } from "./agent-reply.ts";

/** The `data` of a message whose posts are recorded, so that a later reply can replace it. */
export const REPLACEABLE = { replaceable: true } as const;

export const isReplaceable = ({ data }: Pick<AgentReply, "data">): boolean => data?.replaceable === true;

/** Replaces the end of an earlier message by this text. A platform that cannot edit shows the text of the reply instead. */
const Replacement = z.looseObject({ replyId: z.string().min(1), markdown: z.string() });
export type Replacement = z.infer<typeof Replacement>;

/** The `data` of a reply that replaces an earlier one. */
export const replaces = (replacement: Replacement) => ({ replaces: replacement });

export const replacementIn = ({ data }: Pick<AgentReply, "data">): Replacement | undefined =>
  data?.replaces === undefined ? undefined : Replacement.safeParse(data.replaces).data;
