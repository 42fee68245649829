import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findTool } from "../../setup/find-tool.mjs";
import { HandClock } from "./hand-clock.ts";
import { makeDelivery } from "./make-delivery.ts";
import { MemoryStore } from "./memory-store.ts";
import { runningGateways } from "./running-gateways.ts";
import type { WebGateway } from "./web-gateway.ts";
import type { WidgetPage } from "./widget-page.ts";
import { startWidgetPage } from "./widget-page.ts";

let browser: Browser;
let site: WidgetPage;
let page: Page;
const troubles: string[] = [];
const start = runningGateways();

beforeAll(async () => {
  site = await startWidgetPage();
  browser = await chromium.launch({ executablePath: findTool("chromium") ?? "chromium", args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser.close();
  await site.stop();
});
beforeEach(async () => {
  troubles.length = 0;
  page = await (await browser.newContext()).newPage();
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (line) => line.text().includes("Content Security Policy") && troubles.push(line.text()));
});
afterEach(async () => {
  await page.context().close();
  expect(troubles).toEqual([]);
});

const open = async (gateway: WebGateway): Promise<void> => {
  site.gateway = gateway;
  await page.goto(site.url);
  await page.getByRole("button", { name: "Open the chat" }).click();
};
const write = async (text: string): Promise<void> => {
  await page.getByLabel("Your message").fill(text);
  await page.keyboard.press("Enter");
};
const arrived = async (gateway: WebGateway, count: number) => {
  await expect.poll(() => gateway.accepted.length, { timeout: 10_000 }).toBe(count);
  return gateway.accepted[count - 1] as (typeof gateway.accepted)[number];
};

describe("given a page with the widget, under a strict policy (C5)", () => {
  it("when somebody writes, then text streams in and the reply replaces it", async () => {
    const gateway = await start();
    await open(gateway);
    await write("hello **you**");
    const { id, conversation } = await arrived(gateway, 1);
    await page.locator(".said:not(.pending)", { hasText: "hello **you**" }).waitFor();
    gateway.adapter.hear({ type: "delta", conversation, correlationId: id, attempt: 1, offset: 0, text: "Thinking" });
    await page.locator(".drafts .reply", { hasText: "Thinking" }).waitFor();
    const markdown =
      "It is **done**: [see](https://example.com/a) and [not](javascript:alert(1)) <img src=x onerror=alert(1)>";
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r1", { reply: { correlationId: id, markdown } }));
    const reply = page.locator(".log .reply");
    await reply.waitFor();
    expect(await page.locator(".drafts .reply").count()).toBe(0);
    expect(await reply.locator("strong").textContent()).toBe("done");
    expect(await reply.locator("a").count()).toBe(1);
    expect(await reply.locator("img").count()).toBe(0);
    expect(await reply.textContent()).toContain("<img src=x onerror=alert(1)>");
  });

  it("when an anchored reply comes, then it says what was asked, where and when, and its button acts (O10)", async () => {
    const gateway = await start();
    await open(gateway);
    await write("hello");
    const { conversation } = await arrived(gateway, 1);
    const startedAt = new Date(Date.now() - 134 * 60_000).toISOString();
    const anchor = { summary: "deep research", channel: "slack", startedAt, text: "" };
    const actions = [{ name: "why", label: "Why?", value: "r1" }];
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r1", { anchor, reply: { actions } }));
    await page.locator(".anchor time", { hasText: "2h 14m ago" }).waitFor();
    expect(await page.locator(".anchor").textContent()).toContain("deep research");
    await page.getByRole("button", { name: "Why?" }).click();
    expect(await arrived(gateway, 2)).toMatchObject({ command: { name: "why", args: "r1" } });
  });

  it("when the gateway dies and another takes over, then what was written meanwhile arrives, and nothing twice", async () => {
    const store = new MemoryStore(new HandClock());
    const first = await start({ store });
    await open(first);
    await write("one");
    const { conversation } = await arrived(first, 1);
    await page.locator(".said:not(.pending)").waitFor();
    site.gateway = undefined;
    await first.stop();
    await write("two");
    await page.locator(".said.pending", { hasText: "two" }).waitFor();
    const second = await start({ store });
    await second.adapter.deliver(makeDelivery(conversation.room, "r1"));
    site.gateway = second;
    expect(await arrived(second, 1)).toMatchObject({ text: "two", conversation });
    await page.locator(".said:not(.pending)", { hasText: "two" }).waitFor();
    await page.locator(".reply", { hasText: "text of r1" }).waitFor();
    expect(await page.locator(".log > *").allTextContents()).toEqual(["one", "text of r1", "two"]);
  });

  it("when a message is too long for the gateway, then it says so, and the next one goes through", async () => {
    const gateway = await start();
    await open(gateway);
    await write("水".repeat(31_000));
    await write("short");
    await page.locator(".said.failed", { hasText: "Not sent" }).waitFor();
    expect(await arrived(gateway, 1)).toMatchObject({ text: "short" });
  });

  it("when the page is loaded again, then the conversation is there; closed, it counts what is unread", async () => {
    const gateway = await start();
    await open(gateway);
    await write("hello");
    const { conversation } = await arrived(gateway, 1);
    await page.locator(".said:not(.pending)").waitFor();
    await open(gateway);
    await page.locator(".said", { hasText: "hello" }).waitFor();
    await page.getByLabel("Your message").press("Escape");
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r1"));
    await page.getByRole("button", { name: "Open the chat, 1 unread" }).waitFor();
  });

  it("when its token is no longer known, then it begins anew; a forged one is not silently replaced", async () => {
    const gateway = await start();
    await open(gateway);
    await write("hello");
    const before = await arrived(gateway, 1);
    await page.locator(".said:not(.pending)", { hasText: "hello" }).waitFor();
    const other = await start();
    await open(other);
    await write("again");
    expect((await arrived(other, 1)).conversation.room).not.toBe(before.conversation.room);
    await page.locator(".said:not(.pending)", { hasText: "again" }).waitFor();
    await page.evaluate(
      'for (const key of Object.keys(localStorage)) localStorage.setItem(key, localStorage[key] + "x")',
    );
    await open(other);
    await page.getByRole("status").filter({ hasText: "cannot be continued" }).waitFor();
    await page.getByRole("button", { name: "Start over" }).click();
    await write("anew");
    expect(await arrived(other, 2)).toMatchObject({ text: "anew" });
  });
});
