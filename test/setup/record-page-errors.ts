import type { Page } from "playwright-core";

/** Records every script error and every violation of a content security policy. */
export const recordPageErrors = (page: Page, troubles: string[]): Page => {
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (line) => {
    if (/Content Security Policy|Trusted/.test(line.text())) troubles.push(line.text());
  });
  return page;
};
