import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { makeDelivery } from "../adapters/web/make-delivery.ts";
import { startWebGateway, type WebGateway } from "../adapters/web/web-gateway.ts";
import { startWidgetPage, type WidgetPage } from "../adapters/web/widget/widget-page.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { takeConsolePictures } from "./console-pictures.ts";
import { conversations, type Telling } from "./conversations.ts";
import { smallPng } from "./small-png.ts";
import { takeWalk } from "./walk.ts";

/** The part of a name that a picture must have, and the folder to write to. */
const [wanted, given] = process.argv.slice(2);
const folder = given === undefined ? fileURLToPath(new URL("../../docs/images/", import.meta.url)) : `${given}/`;

interface View {
  readonly name: string;
  readonly telling: Telling;
  readonly options?: BrowserContextOptions;
  readonly attributes?: string;
  /** Runs before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

const desktop = { viewport: { width: 900, height: 760 }, deviceScaleFactor: 1 };
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 1, hasTouch: true, isMobile: true };
const tall = { viewport: { width: 900, height: 1500 } };
const tallPhone = { ...phone, viewport: { width: 390, height: 1700 } };
const openActivity = (page: Page) => page.locator(".activity .toggle").first().click();

const views: readonly View[] = [
  { name: "widget-light", telling: conversations.anchored },
  { name: "widget-dark", telling: conversations.anchored, options: { colorScheme: "dark" } },
  { name: "widget-activity", telling: conversations.delegated, prepare: openActivity },
  { name: "widget-phone", telling: conversations.anchored, options: phone },
  { name: "widget-rtl", telling: conversations.arabic, options: { locale: "ar" } },
  {
    name: "widget-welcome",
    telling: conversations.empty,
    attributes: 'data-suggestions="Research tides, knots and lighthouses|Remind me in 20 s to stretch"',
  },
];

/** Views that the documentation does not show, for changes of the styles: `npm run images -- anchors FOLDER`. */
const furtherViews: readonly View[] = [
  { name: "anchors-light", telling: conversations.allAnchors, options: tall },
  { name: "anchors-dark", telling: conversations.allAnchors, options: { ...tall, colorScheme: "dark" } },
  { name: "anchors-phone", telling: conversations.allAnchors, options: tallPhone },
  { name: "anchors-phone-dark", telling: conversations.allAnchors, options: { ...tallPhone, colorScheme: "dark" } },
];

/** The main views of widget and console, with sample conversations, for the README and for changes of the styles. */
const take = async (): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const site = await startWidgetPage();
  const browser = await launchChromium();
  const shown = wanted === undefined ? views : [...views, ...furtherViews].filter(({ name }) => name.includes(wanted));
  for (const view of shown) {
    const gateway = await startWebGateway();
    try {
      await picture(browser, site, gateway, view);
      console.log(view.name);
    } finally {
      await gateway.stop();
    }
  }
  await takeConsolePictures(browser, folder, wanted);
  if (wanted === undefined || wanted === "walk") await takeWalk(browser, `${folder}walk/`);
  // For changes of the styles only: npm run images -- walk-dark FOLDER.
  if (wanted === "walk-dark") await takeWalk(browser, `${folder}walk-dark/`, "dark");
  await browser.close();
  await site.stop();
};

const picture = async (browser: Browser, site: WidgetPage, gateway: WebGateway, view: View): Promise<void> => {
  const { name, telling, options = {}, attributes = "", prepare } = view;
  Object.assign(site, { gateway, attributes: `data-open data-title="Mooring" ${attributes}` });
  const context = await browser.newContext({ ...desktop, locale: "en-GB", reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  if (options.locale === "ar") {
    await page.addInitScript(
      'document.addEventListener("DOMContentLoaded", () => (document.documentElement.dir = "rtl"))',
    );
  }
  await page.goto(site.url);
  const said = async (text: string) => {
    await page.locator("textarea").fill(text);
    await page.keyboard.press("Enter");
    await page.locator(".said:not(.pending)", { hasText: text }).waitFor();
    return gateway.accepted.at(-1);
  };
  for (const [index, step] of telling.entries()) {
    const message = "say" in step ? await said(step.say) : gateway.accepted.at(-1);
    const { room = "" } = message?.conversation ?? {};
    if ("say" in step && step.answer !== undefined) {
      const reply = { markdown: step.answer, correlationId: message?.id ?? "", createdAt: new Date().toISOString() };
      await gateway.adapter.deliver(makeDelivery(room, `r${index}`, { reply }));
      await page.locator(`[data-key="reply:r${index}"] .text > *`).first().waitFor();
    }
    if ("deliver" in step) {
      await gateway.adapter.deliver(makeDelivery(room, `r${index}`, step.deliver()));
      await page.locator(`[data-key^="reply:r${index}"]`).waitFor();
    }
  }
  await prepare?.(page);
  await page.evaluate("document.activeElement?.blur(); new Promise((done) => setTimeout(done, 300))");
  const subject = options.isMobile ? page : page.locator(".panel");
  await writeFile(`${folder}${name}.png`, smallPng(await subject.screenshot()));
  await context.close();
};

await take();
