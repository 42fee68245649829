import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { UserMessage } from "../../../core/contract/user-message.ts";
import { findTool } from "../../setup/find-tool.mjs";
import type { WebGateway } from "./web-gateway.ts";
import type { WidgetPage } from "./widget-page.ts";
import { startWidgetPage } from "./widget-page.ts";

/** A page with the widget in a real browser, anew for each test. Any script error fails the test. */
export class WidgetInBrowser {
  site!: WidgetPage;
  page!: Page;
  #browser!: Browser;
  readonly #troubles: string[] = [];

  constructor(options: BrowserContextOptions = {}) {
    beforeAll(async () => {
      this.site = await startWidgetPage();
      const executablePath = findTool("chromium") ?? "chromium";
      this.#browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    });
    afterAll(async () => {
      await this.#browser.close();
      await this.site.stop();
    });
    beforeEach(async () => {
      this.#troubles.length = 0;
      this.page = await (await this.#browser.newContext(options)).newPage();
      this.page.on("pageerror", (error) => this.#troubles.push(error.message));
      this.page.on("console", (line) => {
        if (line.text().includes("Content Security Policy")) this.#troubles.push(line.text());
      });
    });
    afterEach(async () => {
      await this.page.context().close();
      expect(this.#troubles).toEqual([]);
    });
  }

  async open(gateway: WebGateway): Promise<void> {
    this.site.gateway = gateway;
    await this.page.goto(this.site.url);
    await this.page.getByRole("button", { name: "Open the chat" }).click();
  }

  async write(text: string): Promise<void> {
    await this.page.getByLabel("Your message").fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** The n-th message, once the gateway has accepted it. */
  async arrived(gateway: WebGateway, count: number): Promise<UserMessage> {
    await expect.poll(() => gateway.accepted.length, { timeout: 10_000 }).toBe(count);
    return gateway.accepted[count - 1] as UserMessage;
  }
}
