import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { noteTroubles } from "../setup/note-troubles.ts";

/** A tab with the console, in which an operator signs in and finds their way. */
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
    return new ConsoleTab(noteTroubles(await context.newPage(), troubles), url);
  }

  /** An address below `/console`. */
  async goto(path = ""): Promise<void> {
    await this.page.goto(`${this.#url}/console${path}`);
  }

  /** Within the console, without loading it anew. */
  async turnTo(path: string): Promise<void> {
    const address = JSON.stringify(`/console${path}`);
    await this.page.evaluate(`history.pushState(null, "", ${address}); dispatchEvent(new Event("popstate"))`);
  }

  async signIn(token: string): Promise<void> {
    await this.page.getByLabel("Operator token").fill(token);
    await this.page.keyboard.press("Enter");
  }

  /** By the list of pages. */
  async show(title: string): Promise<void> {
    await this.page
      .getByRole("navigation", { name: "Console" })
      .getByRole("link", { name: title, exact: true })
      .click();
    await this.page.getByRole("heading", { name: title, level: 1 }).waitFor();
  }

  /** The entry of a list that has these words. */
  row(words: string | RegExp) {
    return this.page.locator(".row", { hasText: words });
  }

  /** The entry whose title leads further. */
  titled(name: string) {
    return this.page.locator(".row", { has: this.page.getByRole("link", { name, exact: true }) });
  }

  /** Presses a button that asks first, and says yes. */
  async confirm(action: string, place: Locator): Promise<void> {
    await place.getByRole("button", { name: `${action}: ` }).click();
    await this.page.getByRole("dialog").getByRole("button", { name: action }).click();
  }

  /** What came of the last action. */
  notice(text: string | RegExp) {
    return this.page.locator(".notice", { hasText: text });
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
