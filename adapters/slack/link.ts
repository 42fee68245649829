import { escapeMrkdwn } from "./escape-mrkdwn.ts";

/** A link with a label that is escaped already. What is no web or mail address is written out instead. */
export const linkTo = (url: string, label: string): string => {
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return label === "" ? escapeMrkdwn(url) : `${label} (${escapeMrkdwn(url)})`;
  const address = escapeMrkdwn(url).replaceAll("|", "%7C").replace(/\s/g, "%20");
  const shown = label.replace(/[|\n]/g, " ");
  return shown === "" || shown === address ? `<${address}>` : `<${address}|${shown}>`;
};
