import { describe, expect, it } from "vitest";
import { axeProblems } from "../../../setup/axe-problems.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser({ reducedMotion: "reduce" });

const button = (name: string | RegExp) => widget.page.getByRole("button", { name, exact: typeof name === "string" });
const item = (name: RegExp) => widget.page.getByRole("list", { name: "Conversations" }).getByRole("button", { name });

const startAnother = async () => {
  await button("New conversation").click();
  await expect.poll(() => widget.page.locator(".said").count()).toBe(0);
};

/** The gateway gets the request for a new conversation, or an error answers it, after the returned function was called. */
const holdStart = async (error?: { code: string; message: string }): Promise<() => void> => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await widget.page.route("**/conversations", async (route) => {
    const isStart = route.request().method() === "POST";
    if (isStart) await held;
    await (isStart && error ? route.fulfill({ status: 400, json: { error } }) : route.continue());
  });
  return release;
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
    expect(gateway.accepted.at(-1)).toMatchObject({ command: { name: "delete-conversation", args: "confirm" } });
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

  it("when they write before the gateway has started the new one, then the text is in the new one, not in the one before", async () => {
    const gateway = await start();
    const { page } = widget;
    await widget.begin(gateway);
    const release = await holdStart();
    await page.getByRole("button", { name: "Edit" }).click();
    await button("New conversation").click();
    await expect.poll(() => page.locator(".said").count()).toBe(0);
    // The input follows the conversation after the next paint.
    await expect.poll(() => page.getByLabel("Your message").inputValue()).toBe("");
    await widget.write("plan the trip");
    await page.getByLabel("Your message").fill("and the");
    await page.locator(".said.pending", { hasText: "plan the trip" }).waitFor();
    release();
    const message = await widget.arrived(gateway, 2);
    expect(message).toMatchObject({ text: "plan the trip", conversation: { thread: expect.stringMatching(/^c/) } });
    expect(message).not.toHaveProperty("revises");
    await page.locator(".said:not(.pending)", { hasText: "plan the trip" }).waitFor();
    expect(await page.getByLabel("Your message").inputValue()).toBe("and the");
  });

  it("when the gateway is away and the tab is reloaded, then the message to the new one is sent there later", async () => {
    const gateway = await start();
    const { page } = widget;
    await widget.begin(gateway);
    widget.site.gateway = undefined;
    await button("New conversation").click();
    await widget.write("plan the trip");
    await page.locator(".said.pending", { hasText: "plan the trip" }).waitFor();
    await page.reload();
    await button("Open the chat").click();
    await page.locator(".said.pending", { hasText: "plan the trip" }).waitFor();
    expect(await page.locator(".said").count()).toBe(1);
    widget.site.gateway = gateway;
    const { conversation } = await widget.arrived(gateway, 2);
    expect(conversation.thread).toMatch(/^c/);
    await page.locator(".said:not(.pending)", { hasText: "plan the trip" }).waitFor();
  });

  it("when they have as many as they may, then a message to another one is not sent, and says why", async () => {
    const gateway = await start();
    const { page } = widget;
    await widget.begin(gateway);
    const refuse = await holdStart({ code: "bad-input", message: "delete one first" });
    await button("New conversation").click();
    await widget.write("plan the trip");
    await page.locator(".said.pending", { hasText: "plan the trip" }).waitFor();
    refuse();
    await page.getByText("Not sent: delete one first").waitFor();
    await page.locator(".said", { hasText: "hello" }).waitFor();
    expect(gateway.accepted).toHaveLength(1);
  });

  it("when they write a draft in each, then each keeps its own, also after a reload; a deleted one's is deleted", async () => {
    const gateway = await start();
    const { page } = widget;
    const input = page.getByLabel("Your message");
    const draft = (text: string) => expect.poll(() => input.inputValue()).toBe(text);
    await widget.begin(gateway);
    await input.fill("draft of the first");
    await startAnother();
    await draft("");
    await widget.write("plan the trip");
    await widget.arrived(gateway, 2);
    await input.fill("draft of the second");
    await button("Conversations").click();
    await item(/^Main conversation/).click();
    await draft("draft of the first");
    await page.reload();
    await button("Open the chat").click();
    await draft("draft of the first");
    await button("Conversations").click();
    await item(/^plan the trip/).click();
    await draft("draft of the second");
    await button("Conversations").click();
    await button("Delete “plan the trip”").click();
    await button("Delete").click();
    await expect.poll(() => item(/^plan the trip/).count()).toBe(0);
    const stored = await page.evaluate("JSON.stringify({ ...localStorage })");
    expect(stored).toContain("draft of the first");
    expect(stored).not.toContain("draft of the second");
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
