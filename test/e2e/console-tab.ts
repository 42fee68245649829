import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { recordPageErrors } from "../setup/record-page-errors.ts";

/** A browser tab with the console, in which an operator signs in and navigates. */
export class ConsoleTab {
  readonly page: Page;
  readonly #url: string;

  private constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
  }

  static async open(
    browser: Browser,
    url: string,
    { troubles, ...options }: BrowserContextOptions & { troubles: string[] },
  ): Promise<ConsoleTab> {
    const context = await browser.newContext({ locale: "en-GB", reducedMotion: "reduce", ...options });
    return new ConsoleTab(recordPageErrors(await context.newPage(), troubles), url);
  }

  /** An address below `/console`. */
  async goto(path = ""): Promise<void> {
    await this.page.goto(`${this.#url}/console${path}`);
  }

  /** Navigates within the console, without a reload. */
  async turnTo(path: string): Promise<void> {
    const address = JSON.stringify(`/console${path}`);
    await this.page.evaluate(`history.pushState(null, "", ${address}); dispatchEvent(new Event("popstate"))`);
  }

  async signIn(token: string): Promise<void> {
    await this.page.getByLabel("Operator token").fill(token);
    await this.page.keyboard.press("Enter");
  }

  /** Navigates by the menu. */
  async show(title: string): Promise<void> {
    await this.page
      .getByRole("navigation", { name: "Console" })
      .getByRole("link", { name: title, exact: true })
      .click();
    await this.page.getByRole("heading", { name: title, level: 1 }).waitFor();
  }

  /** The entry of a list that contains this text. */
  row(words: string | RegExp) {
    return this.page.locator(".row", { hasText: words });
  }

  /** The entry whose title is a link. */
  titled(name: string) {
    return this.page.locator(".row", { has: this.page.getByRole("link", { name, exact: true }) });
  }

  /** Clicks a button that asks for confirmation, and confirms. */
  async confirm(action: string, scope: Locator): Promise<void> {
    await scope.getByRole("button", { name: `${action}: ` }).click();
    await this.page.getByRole("dialog").getByRole("button", { name: action }).click();
  }

  /** The notice of the last action. */
  notice(text: string | RegExp) {
    return this.page.locator(".notice", { hasText: text });
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
