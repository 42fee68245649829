import { describe, expect, it } from "vitest";
import { axeProblems } from "../../../setup/axe-problems.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser({ reducedMotion: "reduce" });

const button = (name: string | RegExp) => widget.page.getByRole("button", { name, exact: typeof name === "string" });
const item = (name: RegExp) => widget.page.getByRole("list", { name: "Conversations" }).getByRole("button", { name });

/** Until the new conversation is shown, text belongs to the one before. */
const startAnother = async () => {
  await button("New conversation").click();
  await expect.poll(() => widget.page.locator(".said").count()).toBe(0);
};

describe("given a visitor with several conversations (C5)", () => {
  it("when they start a second one, then each shows its own messages, also after a reload", async () => {
    const gateway = await start();
    const { page } = widget;
    await widget.begin(gateway);
    await startAnother();
    await widget.write("plan the trip");
    const { conversation } = await widget.arrived(gateway, 2);
    expect(conversation.thread).toMatch(/^c/);
    await page.locator(".said:not(.pending)", { hasText: "plan the trip" }).waitFor();
    await page.reload();
    await button("Open the chat").click();
    await page.locator(".said", { hasText: "plan the trip" }).waitFor();
    expect(await page.locator(".said").count()).toBe(1);
    await button("Conversations").click();
    await item(/^Main conversation/).click();
    await page.locator(".said", { hasText: "hello" }).waitFor();
    expect(await page.locator(".said").count()).toBe(1);
  });

  it("when an answer to another conversation arrives, then the list shows it as unread until it is read (D2)", async () => {
    const gateway = await start();
    const { page } = widget;
    const visitor = await widget.begin(gateway);
    await startAnother();
    await widget.write("plan the trip");
    const { conversation: target } = await widget.arrived(gateway, 2);
    await page.locator(".said:not(.pending)", { hasText: "plan the trip" }).waitFor();
    await button("Conversations").click();
    await item(/^Main conversation/).click();
    await page.locator(".said", { hasText: "hello" }).waitFor();
    await gateway.adapter.deliver(makeDelivery(visitor, "late", { target, reply: { markdown: "Lisbon it is" } }));
    await button("Conversations, unread").click();
    expect(await page.getByText("Lisbon it is").count()).toBe(0);
    await item(/^plan the trip ?, unread/).click();
    await page.getByText("Lisbon it is").waitFor();
    await button("Conversations").click();
    await item(/^plan the trip \d/).waitFor();
  });

  it("when they rename, find and delete one, then the list and the log follow", async () => {
    const gateway = await start();
    const { page } = widget;
    await widget.begin(gateway);
    await startAnother();
    await widget.write("plan the trip");
    await widget.arrived(gateway, 2);
    await button("Conversations").click();
    await button("Rename “plan the trip”").click();
    await page.getByLabel("New title").fill("Lisbon");
    await page.keyboard.press("Enter");
    await item(/^Lisbon/).waitFor();
    await page.getByLabel("Find a conversation").fill("lis");
    await expect.poll(() => item(/^Main conversation/).count()).toBe(0);
    await page.getByLabel("Find a conversation").fill("nowhere");
    await page.getByText("No conversation has these words.").waitFor();
    await page.getByLabel("Find a conversation").fill("");
    await button("Delete “Lisbon”").click();
    await page.getByText("Delete “Lisbon” with all its messages?").waitFor();
    await page.keyboard.press("Escape");
    await item(/^Lisbon/).waitFor();
    await button("Delete “Lisbon”").click();
    await button("Delete").click();
    await expect.poll(() => item(/^Lisbon/).count()).toBe(0);
    expect(gateway.accepted.at(-1)).toMatchObject({ command: { name: "delete-conversation" } });
    await button("Back to the conversation").click();
    await page.locator(".said", { hasText: "hello" }).waitFor();
  });

  it("when a message waits to be sent while they switch, then it is stored in the conversation that it was written in", async () => {
    const gateway = await start();
    const { page } = widget;
    await widget.begin(gateway);
    await startAnother();
    await widget.write("first in the second");
    const { conversation } = await widget.arrived(gateway, 2);
    await page.context().setOffline(true);
    await page.getByText("Offline. Messages are sent later.").waitFor();
    await widget.write("written offline");
    await page.locator(".said.pending", { hasText: "written offline" }).waitFor();
    await page.context().setOffline(false);
    const message = await widget.arrived(gateway, 3);
    expect(message).toMatchObject({ text: "written offline", conversation: { thread: conversation.thread } });
  });

  it.each(["light", "dark"])(
    "when axe checks the list in its %s colours at 360 px, then it finds no violation",
    async (theme) => {
      const gateway = await start();
      const { page } = widget;
      await page.setViewportSize({ width: 360, height: 640 });
      widget.site.attributes = `data-theme="${theme}"`;
      const visitor = await widget.begin(gateway);
      await startAnother();
      await widget.write("a long title of a conversation that does not fit into one line of a phone");
      const { conversation: target } = await widget.arrived(gateway, 2);
      await button("Conversations").click();
      await item(/^Main conversation/).click();
      await gateway.adapter.deliver(makeDelivery(visitor, "late", { target }));
      await button("Conversations, unread").click();
      await button("Delete “Main conversation”").click();
      expect(await axeProblems(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    },
  );
});

describe("given a person who reads Spanish or German (U3)", () => {
  it.each([
    ["es-MX", "Abrir el chat", "Conversaciones"],
    ["de-AT", "Chat öffnen", "Unterhaltungen"],
  ])("when the browser's language is %s, then the widget loads its texts", async (locale, open, list) => {
    widget.site.gateway = await start();
    const page = await widget.newPage({ locale });
    await page.goto(widget.site.url);
    await page.getByRole("button", { name: open }).click();
    await page.getByRole("button", { name: list }).waitFor();
  });
});
