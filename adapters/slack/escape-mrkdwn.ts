/** The three signs that mean something in every text of Slack's. Without them no mention, date or link can be made. */
export const escapeMrkdwn = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
