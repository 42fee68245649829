import { describe, expect, it } from "vitest";
import { AppError } from "../../../../core/contract/app-error.ts";
import { hostToken, IDENTITY_KEY } from "../identity/host-jwt.ts";
import { makeDelivery } from "../make-delivery.ts";
import { OrderedClock } from "../ordered-clock.ts";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser();

/** Hides a tab or makes it visible again. */
const HIDE = `Object.defineProperty(document, "hidden", { get: () => true, configurable: true })`;

describe("given a browser with problems", () => {
  it.each([
    [
      "forbidden",
      `for (const name of ["localStorage", "sessionStorage", "BroadcastChannel"])
      Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });`,
    ],
    ["full", `Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };`],
  ])("when its storage is %s, then the conversation lasts as long as the page", async (_, script) => {
    const gateway = await start();
    await widget.page.addInitScript(script);
    const visitor = await widget.begin(gateway);
    await gateway.adapter.deliver(makeDelivery(visitor, "r1"));
    await widget.page.locator(".reply", { hasText: "text of r1" }).waitFor();
    await widget.write("again");
    expect((await widget.arrived(gateway, 2)).conversation.room).toBe(visitor);
  });

  it("when its clock is a day behind, then times are still right, and the chat works", async () => {
    const gateway = await start();
    await widget.page.addInitScript("const now = Date.now; Date.now = () => now() - 86_400_000");
    const visitor = await widget.begin(gateway);
    const startedAt = new Date(Date.now() - 5.5 * 60_000).toISOString();
    const anchor = { summary: "tides", channel: "slack", startedAt, text: "" };
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { anchor }));
    await widget.page.locator(".anchor time", { hasText: "5 min ago" }).waitFor();
  });

  it("when it goes offline, then it shows that, queues messages, and sends them once when it is online", async () => {
    const gateway = await start();
    await widget.begin(gateway);
    await widget.page.context().setOffline(true);
    await widget.page.getByRole("status").filter({ hasText: "Offline" }).waitFor();
    await widget.write("written at sea");
    await widget.page.locator(".said.pending", { hasText: "written at sea" }).waitFor();
    await widget.page.context().setOffline(false);
    expect(await widget.arrived(gateway, 2)).toMatchObject({ text: "written at sea" });
    await widget.page.locator(".said:not(.pending)", { hasText: "written at sea" }).waitFor();
    expect(await widget.page.locator(".said", { hasText: "written at sea" }).count()).toBe(1);
  });

  it("when the gateway refuses a message, then the reason is shown, and it can be retried or discarded", async () => {
    let refuses = true;
    const accepted: string[] = [];
    const gateway = await start({
      inbox: {
        accept: async ({ text }) => {
          if (refuses) throw new AppError("forbidden", "you may not write here");
          accepted.push(text);
        },
      },
    });
    await widget.open(gateway);
    await widget.write("let me in");
    await widget.page.locator(".said.failed", { hasText: "Not sent: you may not write here" }).waitFor();
    refuses = false;
    await widget.page.getByRole("button", { name: "Try again" }).click();
    await widget.page.locator(".said:not(.pending, .failed)", { hasText: "let me in" }).waitFor();
    expect(accepted).toEqual(["let me in"]);
    refuses = true;
    await widget.write("and this");
    await widget.page.getByRole("button", { name: "Discard" }).click();
    await widget.page.locator(".said.failed").waitFor({ state: "detached" });
  });

  it("when an answer is a megabyte of markdown, then its beginning is shown at once, and all of it on request", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    const markdown = `begin ${"[".repeat(200)} **bold** `.repeat(1_600).slice(0, 340_000);
    for (const id of ["r1", "r2", "r3"]) {
      await gateway.adapter.deliver(makeDelivery(visitor, id, { reply: { markdown } }));
    }
    const showAll = widget.page.getByRole("button", { name: "Show all" });
    await showAll.nth(2).waitFor();
    expect((await widget.page.locator(".reply .text").first().textContent())?.length).toBeLessThan(5_000);
    await showAll.first().click();
    await expect
      .poll(async () => (await widget.page.locator(".reply .text").first().textContent())?.length)
      .toBe(markdown.length);
    await widget.write("still here");
    expect(await widget.arrived(gateway, 2)).toMatchObject({ text: "still here" });
  });

  it("when a host token expires while the chat is open, then a new one is requested, and no message is lost", async () => {
    const clock = new OrderedClock(Date.now());
    const gateway = await start({ clock, config: { identityKey: IDENTITY_KEY } });
    let made = 0;
    await widget.page.exposeFunction("signIn", () => {
      made++;
      return hostToken({ sub: "ada", exp: Math.floor(clock.now() / 1_000) + 600 });
    });
    widget.site.gateway = gateway;
    await widget.page.goto(widget.site.url);
    await widget.page.evaluate('mooring("identify", () => signIn()); mooring("open")');
    await widget.write("one");
    expect((await widget.arrived(gateway, 1)).conversation.room).toBe("ada");
    clock.jump(11 * 60_000);
    await clock.advance(1_000);
    await expect.poll(() => made).toBe(2);
    await widget.write("two");
    expect(await widget.arrived(gateway, 2)).toMatchObject({ text: "two", conversation: { room: "ada" } });
    await widget.page.locator(".said", { hasText: "one" }).waitFor();
  });

  it("when there are more tabs than allowed connections, then the visible one gets a slot", async () => {
    const gateway = await start({ config: { limits: { connectionsPerVisitor: 2 } } });
    const visitor = await widget.begin(gateway);
    await widget.page.keyboard.press("Escape");
    const hidden = widget.watch(await widget.page.context().newPage());
    await hidden.addInitScript(HIDE);
    await hidden.goto(widget.site.url);
    await hidden.getByRole("button", { name: "Open the chat" }).waitFor();
    await gateway.adapter.deliver(makeDelivery(visitor, "r1"));
    await expect.poll(() => hidden.title()).toBe("(1) Shop");
    const third = widget.watch(await widget.page.context().newPage());
    await widget.open(gateway, third);
    await third.locator(".reply", { hasText: "text of r1" }).waitFor();
    // The read mark is shared by all tabs, also by one that has released its connection.
    await expect.poll(() => hidden.title()).toBe("Shop");
    await gateway.adapter.deliver(makeDelivery(visitor, "r2"));
    await third.locator(".reply", { hasText: "text of r2" }).waitFor();
    await widget.page.locator(".reply", { hasText: "text of r2" }).waitFor({ state: "attached" });
  });
});
