import { z } from "zod";
import type { FakeMessage } from "./world.ts";

const Button = z.object({
  type: z.literal(2),
  style: z.number(),
  label: z.string().max(80),
  custom_id: z.string().max(100),
});
const Row = z.object({ type: z.literal(1), components: z.array(Button).min(1).max(5) });

export const PostInput = z.object({
  content: z.string().max(2_000).default(""),
  nonce: z.string().max(25).optional(),
  enforce_nonce: z.boolean().default(false),
  flags: z.number().optional(),
  allowed_mentions: z.object({ parse: z.array(z.string()) }).optional(),
  message_reference: z.object({ message_id: z.string(), fail_if_not_exists: z.boolean().default(true) }).optional(),
  components: z
    .array(Row)
    .max(5)
    .refine((rows) => {
      const ids = rows.flatMap(({ components }) => components.map(({ custom_id }) => custom_id));
      return new Set(ids).size === ids.length;
    })
    .default([]),
});
export type PostInput = z.infer<typeof PostInput>;

/** Whether the text notifies people, within the allowed mentions. */
export const pingsOf = ({ content, allowed_mentions }: PostInput): boolean => {
  const allowed = allowed_mentions?.parse ?? ["everyone", "roles", "users"];
  const live = withoutCode(content).replace(/\\[^\w\s]/g, "\0");
  return (
    (allowed.includes("everyone") && /@(everyone|here)\b/.test(live)) ||
    (allowed.includes("roles") && /<@&\d+>/.test(live)) ||
    (allowed.includes("users") && /<@!?\d+>/.test(live))
  );
};

/** The lines that Discord renders as small print, also inside quotes and lists. */
export const smallPrintOf = ({ content }: Pick<FakeMessage, "content">): string[] =>
  withoutCode(content)
    .split("\n")
    .filter((line) => /^\s*(?:> |- |\d+\. )*-# /.test(line));

/** The mark-up that Discord replaces: times, mentions, commands. */
export const liveMarksOf = (content: string): string[] =>
  withoutCode(content)
    .replace(/\\[^\w\s]/g, "\0")
    .match(/<(?:@[!&]?\d+|#\d+|t:-?\d+(?::\w)?|\/[\w ]+:\d+|a?:\w+:\d+)>/g) ?? [];

const withoutCode = (content: string): string =>
  content.replace(/```[\s\S]*?```/g, "").replace(/(?<!\\)(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "");
