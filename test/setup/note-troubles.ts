import type { Page } from "playwright-core";

/** Notes every script error, and everything that a content security policy has stopped. */
export const noteTroubles = (page: Page, troubles: string[]): Page => {
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (line) => {
    if (/Content Security Policy|Trusted/.test(line.text())) troubles.push(line.text());
  });
  return page;
};
