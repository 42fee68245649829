import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { NatsServer } from "../fakes/nats-server.ts";
import { Product } from "../outside/product.ts";
import { axeProblems } from "../setup/axe-problems.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { recordPageErrors } from "../setup/record-page-errors.ts";
import { requireFreshBuild } from "./mooring-process.ts";

let browser: Browser;
beforeAll(async () => {
  await requireFreshBuild();
  browser = await launchChromium();
});
afterAll(() => browser.close());

let product: Product;
afterEach(() => product.dispose());

const write = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel("Your message").fill(text);
  await page.keyboard.press("Enter");
};

const WAITING = ".said.pending .state:has-text('Waiting to be sent')";

describe("given the widget, and a NATS server that is suspended (F35)", () => {
  it("when a visitor writes and reloads the page, then the messages wait and are answered once, in order, after the outage", async () => {
    product = await Product.create({ backbone: "nats" });
    const nats = product.nats as NatsServer;
    const mooring = await product.start("start");
    await mooring.ready();
    const troubles: string[] = [];
    const context = await browser.newContext({ locale: "en-GB" });
    const page = recordPageErrors(await context.newPage(), troubles);
    await page.goto(mooring.address);
    await write(page, "what is 6 * 7?");
    await page.locator(".reply", { hasText: "42" }).waitFor();
    nats.freeze();
    await page.getByRole("status").filter({ hasText: "Unavailable. Messages are sent later." }).waitFor();
    await write(page, "what is 2 * 2?");
    await write(page, "what is 3 * 3?");
    await expect.poll(() => page.locator(WAITING).count()).toBe(2);
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    const inTheDark = await axeProblems(page, "color-contrast");
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    expect([...inTheDark, ...(await axeProblems(page))]).toEqual([]);

    await page.reload();
    await page.getByRole("status").filter({ hasText: "Unavailable. Messages are sent later." }).waitFor();
    await expect.poll(() => page.locator(WAITING).count()).toBe(2);
    await write(page, "what is 4 * 4?");
    await expect.poll(() => page.locator(WAITING).count()).toBe(3);
    nats.resume();
    await page.locator(".reply", { hasText: "4 * 4 = 16" }).waitFor();
    await page.getByRole("status").filter({ hasText: "Online" }).waitFor();
    expect(await page.locator(".said.pending").count()).toBe(0);
    const texts = await page.locator(".log .reply .text").allTextContents();
    expect(texts.join(" ").match(/= \d+/g)).toEqual(["= 42", "= 4", "= 9", "= 16"]);
    expect(await page.locator(".log .said").count()).toBe(4);
    expect(troubles).toEqual([]);
    await context.close();
  });
});
