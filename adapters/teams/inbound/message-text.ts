import type { Activity, Mention } from "./activity.ts";

const MENTION = /<at(?:\s[^<>]*)?>[^<>]*<\/at>/gi;

/** The text without Teams' mark-up around mentions. Drops mentions of the bot and keeps the others. */
export const messageText = ({ text = "", entities }: Pick<Activity, "text" | "entities">, botId: string): string => {
  const mentions = new Map(entities.map((mention) => [mention.text, mention]));
  // One pass for all mentions, so that a name that contains a mention is not replaced again.
  const named = text.replace(MENTION, (spelled) => {
    const mention = mentions.get(spelled);
    return mention === undefined ? spelled : shownAs(mention, botId);
  });
  return unescaped(named.replace(/<\/?at(?:\s[^<>]*)?>/gi, ""))
    .replace(/[^\S\n]{2,}/g, " ")
    .trim();
};

export const isMentioned = ({ entities }: Pick<Activity, "entities">, botId: string): boolean =>
  entities.some(({ mentioned }) => mentioned.id === botId);

const shownAs = ({ mentioned, text }: Mention, botId: string): string =>
  mentioned.id === botId ? " " : `@${mentioned.name ?? text.replace(/<[^<>]*>/g, "")}`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&nbsp;": " ",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

/** One pass, so that "&amp;lt;" becomes the "&lt;" that the person typed. UTF-8 cannot encode a lone surrogate. */
const unescaped = (text: string): string =>
  text
    .replace(/&(?:nbsp|lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll("\u00a0", " ")
    .replace(/\p{Surrogate}/gu, "\ufffd");
