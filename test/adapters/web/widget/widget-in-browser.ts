import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { InboundMessage } from "../../../../core/contract/messages/user-message.ts";
import { launchChromium } from "../../../setup/launch-chromium.ts";
import { recordPageErrors } from "../../../setup/record-page-errors.ts";
import type { WebGateway } from "../web-gateway.ts";
import type { WidgetPage } from "./widget-page.ts";
import { startWidgetPage } from "./widget-page.ts";

/** A fresh page with the widget in a real browser for each test. Any script error fails the test. */
export class WidgetInBrowser {
  site!: WidgetPage;
  page!: Page;
  #browser!: Browser;
  readonly #contexts: BrowserContext[] = [];
  readonly #troubles: string[] = [];

  constructor(options: BrowserContextOptions = {}) {
    beforeAll(async () => {
      this.site = await startWidgetPage();
      this.#browser = await launchChromium();
    });
    afterAll(async () => {
      await this.#browser.close();
      await this.site.stop();
    });
    beforeEach(async () => {
      this.#troubles.length = 0;
      this.site.attributes = "";
      this.site.images = "'none'";
      this.site.body = "";
      this.page = await this.newPage(options);
    });
    afterEach(async () => {
      await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
      expect(this.#troubles).toEqual([]);
    });
  }

  /** A page of another person, or of the same person with other settings. */
  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ locale: "en-GB", ...options });
    this.#contexts.push(context);
    return this.watch(await context.newPage());
  }

  watch(page: Page): Page {
    return recordPageErrors(page, this.#troubles);
  }

  async open(gateway: WebGateway, page = this.page): Promise<void> {
    this.site.gateway = gateway;
    await page.goto(this.site.url);
    await page.getByRole("button", { name: "Open the chat" }).click();
  }

  async write(text: string, page = this.page): Promise<void> {
    await page.getByLabel("Your message").fill(text);
    await page.keyboard.press("Enter");
  }

  /** The n-th message, once the gateway has accepted it. */
  async arrived(gateway: WebGateway, count: number): Promise<InboundMessage> {
    await expect.poll(() => gateway.accepted.length).toBe(count);
    return gateway.accepted[count - 1] as InboundMessage;
  }

  /** Opens the chat and sends a message; resolves to the visitor to deliver to. */
  async begin(gateway: WebGateway): Promise<string> {
    await this.open(gateway);
    await this.write("hello");
    const { conversation } = await this.arrived(gateway, 1);
    await this.page.locator(".said:not(.pending)").waitFor();
    return conversation.room;
  }
}
