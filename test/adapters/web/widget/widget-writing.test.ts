import { describe, expect, it } from "vitest";
import { hostToken, IDENTITY_KEY } from "../identity/host-jwt.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser();

const commands = [
  { name: "help", description: "List the commands", privately: false },
  {
    name: "cancel",
    description: "Cancel running work",
    argument: { name: "id", description: "The id that status shows, answer, or all" },
    privately: false,
  },
  { name: "clear", description: "Clear it", privately: false },
];

describe("given a person who writes a slash command", () => {
  it("when they type, then matching commands are listed; keys choose one, and its argument is explained", async () => {
    const gateway = await start({ commands });
    await widget.open(gateway);
    const input = widget.page.getByLabel("Your message");
    await input.pressSequentially("/");
    const options = widget.page.getByRole("option");
    await expect.poll(() => options.count()).toBe(3);
    await input.pressSequentially("c");
    await expect.poll(() => options.allTextContents()).toEqual(["/cancel <id>Cancel running work", "/clearClear it"]);
    await input.press("ArrowDown");
    await expect.poll(() => options.nth(1).getAttribute("aria-selected")).toBe("true");
    await expect.poll(() => input.getAttribute("aria-activedescendant")).toBe("command-1");
    await input.press("ArrowUp");
    await expect.poll(() => options.nth(0).getAttribute("aria-selected")).toBe("true");
    await input.press("Enter");
    await expect.poll(() => input.inputValue()).toBe("/cancel ");
    await widget.page.getByText("The id that status shows, answer, or all").waitFor();
    await input.pressSequentially("all");
    await input.press("Enter");
    expect(await widget.arrived(gateway, 1)).toMatchObject({ command: { name: "cancel", args: "all" } });
  });

  it("when they press Escape, then the menu closes and the chat stays open; Enter sends the whole name", async () => {
    const gateway = await start({ commands });
    await widget.open(gateway);
    const input = widget.page.getByLabel("Your message");
    await input.pressSequentially("/help");
    await widget.page.getByRole("option", { name: "/help" }).waitFor();
    await input.press("Escape");
    await widget.page.getByRole("option").waitFor({ state: "detached" });
    await expect.poll(() => input.isVisible()).toBe(true);
    await input.press("Enter");
    expect(await widget.arrived(gateway, 1)).toMatchObject({ command: { name: "help", args: "" } });
  });
});

const tokenOf = (sub: string) => hostToken({ sub, exp: Math.floor(Date.now() / 1_000) + 3_600 });

describe("given a person who has not sent their message", () => {
  it("when the tab closes and the page is opened in a new one, then the draft is there; once sent, it is gone", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.page.getByLabel("Your message").fill("half a thought");
    const { page } = widget;
    const next = widget.watch(await page.context().newPage());
    await page.close();
    await widget.open(gateway, next);
    await expect.poll(() => next.getByLabel("Your message").inputValue()).toBe("half a thought");
    await next.getByLabel("Your message").press("Enter");
    await widget.arrived(gateway, 1);
    await widget.open(gateway, next);
    await expect.poll(() => next.getByLabel("Your message").inputValue()).toBe("");
  });

  it("when the tab closes before the gateway is back, then the next tab sends the message, once", async () => {
    const gateway = await start();
    await widget.begin(gateway);
    widget.site.gateway = undefined;
    await widget.page.evaluate("dispatchEvent(new Event('offline'))");
    await widget.write("while you were away");
    await widget.page.locator(".said.pending").waitFor();
    const { page } = widget;
    const next = widget.watch(await page.context().newPage());
    await page.close();
    await widget.open(gateway, next);
    await next.locator(".said:not(.pending)", { hasText: "while you were away" }).waitFor();
    const texts = gateway.accepted.map(({ text }) => text);
    expect(texts).toEqual(["hello", "while you were away"]);
    expect(await next.evaluate("Object.keys(localStorage).filter((key) => key.includes('tab:'))")).toEqual([]);
  });

  it("when another visitor of the same browser comes, then the unsent message is not sent as theirs", async () => {
    const gateway = await start({ config: { identityKey: IDENTITY_KEY } });
    widget.site.attributes = `data-token="${tokenOf("ada")}"`;
    await widget.begin(gateway);
    widget.site.gateway = undefined;
    await widget.page.evaluate("dispatchEvent(new Event('offline'))");
    await widget.write("a secret of Ada");
    await widget.page.locator(".said.pending").waitFor();
    await widget.page.getByLabel("Your message").fill("and another one");
    const { page } = widget;
    const next = widget.watch(await page.context().newPage());
    await page.close();
    widget.site.attributes = `data-token="${tokenOf("bob")}"`;
    await widget.open(gateway, next);
    await next.getByRole("status").filter({ hasText: "Online" }).waitFor();
    await expect.poll(() => next.getByLabel("Your message").inputValue()).toBe("");
    await widget.write("this is Bob", next);
    await widget.arrived(gateway, 2);
    expect(gateway.accepted.map(({ text, account }) => [account.id, text])).toEqual([
      ["ada", "hello"],
      ["bob", "this is Bob"],
    ]);
    await expect.poll(() => next.locator(".said").count()).toBe(1);
  });
});

describe("given a person whose connection ends", () => {
  it("when the gateway is back after a longer outage, then the chat is connected within two seconds", async () => {
    const gateway = await start();
    await widget.begin(gateway);
    widget.site.gateway = undefined;
    await widget.page.clock.install();
    await gateway.stop();
    const status = widget.page.getByRole("status").first();
    await expect.poll(() => status.textContent()).toContain("Offline");
    // Ten seconds of outage, in which every attempt fails.
    for (let second = 0; second < 10; second++) await widget.page.clock.runFor(1_000);
    widget.site.gateway = await start();
    await widget.page.clock.runFor(2_000);
    await expect.poll(() => status.textContent()).toBe("Online");
  });

  it("when the page is reloaded while an answer streams, then the text so far is shown, and it goes on", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("tell me everything");
    const { id: correlationId, conversation } = await widget.arrived(gateway, 1);
    const delta = (offset: number, text: string) =>
      gateway.adapter.onSignal({ type: "delta", conversation, correlationId, attempt: 1, offset, text });
    delta(0, "It began ");
    delta(9, "long ago");
    await widget.page.locator(".drafts", { hasText: "It began long ago" }).waitFor();
    await widget.open(gateway);
    await widget.page.locator(".drafts", { hasText: "It began long ago" }).waitFor();
    delta(17, ", at sea");
    await widget.page.locator(".drafts", { hasText: "It began long ago, at sea" }).waitFor();
    const reply = { correlationId, markdown: "It began long ago, at sea.", createdAt: new Date().toISOString() };
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r1", { reply }));
    await widget.open(gateway);
    await widget.page.locator(".log .reply", { hasText: "at sea." }).waitFor();
    await expect.poll(() => widget.page.locator(".drafts").count()).toBe(0);
  });
});
