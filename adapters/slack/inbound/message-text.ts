/** Slack's references in "<…>": a mention, a channel, a group, a date, or a link. */
const REFERENCE = /<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g;

/**
 * The text as its author saw it. Slack escapes exactly three signs, so every other "<" is mark-up.
 * Drops mentions of `self`, the app's own user, because they only address the app.
 */
export const plainText = (text: string, self: string): string =>
  text
    .replace(REFERENCE, (_, sign: string, target: string, label: string | undefined) =>
      sign === "@" && target === self ? "" : shown(sign, target, label),
    )
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .trim();

export const mentions = (text: string, user: string): boolean =>
  text.includes(`<@${user}>`) || text.includes(`<@${user}|`);

const shown = (sign: string, target: string, label: string | undefined): string => {
  if (sign === "@") return `@${label ?? target}`;
  if (sign === "#") return `#${label || target}`;
  if (sign === "!") return label ?? `@${target.replace(/\^.*$/, "")}`;
  const address = target.replace(/^mailto:/, "");
  return label === undefined || label === address || label === target ? address : `${label} (${target})`;
};
