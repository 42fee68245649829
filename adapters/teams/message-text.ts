import type { Activity, Mention } from "./activity.ts";

const MENTION = /<at(?:\s[^<>]*)?>[^<>]*<\/at>/gi;

/** What a person wrote, without the mark-up that Teams puts round mentions. The bot's own name goes, others stay. */
export const messageText = ({ text = "", entities }: Pick<Activity, "text" | "entities">, botId: string): string => {
  const mentions = new Map(entities.map((mention) => [mention.text, mention]));
  // One pass for all mentions: a name that holds another mention is not replaced again.
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

/** One pass, so that "&amp;lt;" stays the "&lt;" that somebody wrote. A lone surrogate cannot be written as UTF-8. */
const unescaped = (text: string): string =>
  text
    .replace(/&(?:nbsp|lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll("\u00a0", " ")
    .replace(/\p{Surrogate}/gu, "\ufffd");
