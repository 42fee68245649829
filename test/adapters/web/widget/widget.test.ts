import { describe, expect, it } from "vitest";
import { makeDelivery } from "../make-delivery.ts";
import { MemoryStore } from "../memory-store.ts";
import { OrderedClock } from "../ordered-clock.ts";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser();

describe("given a page with the widget and a strict content security policy (C5)", () => {
  it("when a person sends a message, then text streams in and the reply replaces it", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("hello **you**");
    const { id, conversation } = await widget.arrived(gateway, 1);
    await widget.page.locator(".said:not(.pending)", { hasText: "hello **you**" }).waitFor();
    gateway.adapter.onSignal({
      type: "delta",
      conversation,
      correlationId: id,
      attempt: 1,
      offset: 0,
      text: "Thinking",
    });
    await widget.page.locator(".drafts .reply", { hasText: "Thinking" }).waitFor();
    const markdown =
      "It is **done**: [see](https://example.com/a) and [not](javascript:alert(1)) <img src=x onerror=alert(1)>";
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r1", { reply: { correlationId: id, markdown } }));
    const reply = widget.page.locator(".log .reply");
    await reply.waitFor();
    expect(await widget.page.locator(".drafts .reply").count()).toBe(0);
    expect(await reply.locator("strong").textContent()).toBe("done");
    expect(await reply.locator("a").count()).toBe(1);
    expect(await reply.locator("img").count()).toBe(0);
    expect(await reply.textContent()).toContain("<img src=x onerror=alert(1)>");
  });

  it("when an anchored reply arrives, then it shows request, channel and time, and its button works (O10)", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("hello");
    const { conversation } = await widget.arrived(gateway, 1);
    const startedAt = new Date(Date.now() - 134 * 60_000).toISOString();
    const anchor = { summary: "deep research", channel: "slack", startedAt, text: "" };
    const actions = [{ name: "why", label: "Why?", value: "r1" }];
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r1", { anchor, reply: { actions } }));
    await widget.page.locator(".anchor time", { hasText: "2h 14m ago" }).waitFor();
    expect(await widget.page.locator(".anchor").textContent()).toContain("deep research");
    await widget.page.getByRole("button", { name: "Why?" }).click();
    expect(await widget.arrived(gateway, 2)).toMatchObject({ command: { name: "why", args: "r1" } });
  });

  it("when a reminder arrives, then its anchor says on a line of its own when and where it was requested (O9)", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("hello");
    const { conversation } = await widget.arrived(gateway, 1);
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const asked = { channel: "discord", at: minutesAgo(134), ago: "" };
    const anchor = { summary: "Stretch", channel: "scheduled", startedAt: minutesAgo(3), asked, text: "" };
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r1", { anchor }));
    const lines = widget.page.locator(".anchor .where");
    await lines.nth(1).waitFor();
    const texts = (await lines.allTextContents()).map((text) => text.replace(/[\u2068\u2069]/g, ""));
    expect(texts[0]).toBe("scheduled · 3 min ago");
    expect(texts[1]).toMatch(/^asked for .*\d\d:\d\d.* from Discord · 2h 14m ago$/);
    const [first, second] = [await lines.first().boundingBox(), await lines.nth(1).boundingBox()];
    // The boxes of two lines can overlap by a fraction of a pixel.
    expect(second?.y).toBeGreaterThan((first?.y ?? 0) + (first?.height ?? 0) / 2);
  });

  it("when a person replies to an anchored reply, then only the next message refers to it (O14)", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("hello");
    const { conversation } = await widget.arrived(gateway, 1);
    const anchor = { summary: "deep research", channel: "slack", startedAt: new Date().toISOString(), text: "" };
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r1", { anchor }));
    await widget.page.getByRole("button", { name: "Reply" }).click();
    await widget.page.locator(".answering", { hasText: "deep research" }).waitFor();
    await widget.write("and at noon?");
    expect(await widget.arrived(gateway, 2)).toMatchObject({ text: "and at noon?", replyTo: "r1" });
    await widget.page.locator(".answering").waitFor({ state: "detached" });
    await widget.write("something else");
    expect(await widget.arrived(gateway, 3)).not.toHaveProperty("replyTo");
  });

  it("when the gateway crashes and another takes over, then messages sent meanwhile arrive, without duplicates", async () => {
    const store = new MemoryStore(new OrderedClock());
    const first = await start({ store });
    await widget.open(first);
    await widget.write("one");
    const { conversation } = await widget.arrived(first, 1);
    await widget.page.locator(".said:not(.pending)").waitFor();
    widget.site.gateway = undefined;
    await first.stop();
    await widget.write("two");
    await widget.page.locator(".said.pending", { hasText: "two" }).waitFor();
    const second = await start({ store });
    await second.adapter.deliver(makeDelivery(conversation.room, "r1"));
    widget.site.gateway = second;
    expect(await widget.arrived(second, 1)).toMatchObject({ text: "two", conversation });
    await widget.page.locator(".said:not(.pending)", { hasText: "two" }).waitFor();
    await widget.page.locator(".reply", { hasText: "text of r1" }).waitFor();
    expect((await widget.page.locator(".log .bubble").allTextContents()).map((text) => text.trim())).toEqual([
      "one",
      "text of r1",
      "two",
    ]);
  });

  it("when a message is too long for the gateway, then the error is shown, and the next one is accepted", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("水".repeat(31_000));
    await widget.write("short");
    await widget.page.locator(".said.failed", { hasText: "Not sent" }).waitFor();
    expect(await widget.arrived(gateway, 1)).toMatchObject({ text: "short" });
  });

  it("when the page is reloaded, then the conversation is shown; a closed chat counts unread messages", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("hello");
    const { conversation } = await widget.arrived(gateway, 1);
    await widget.page.locator(".said:not(.pending)").waitFor();
    await widget.open(gateway);
    await widget.page.locator(".said", { hasText: "hello" }).waitFor();
    await widget.page.getByLabel("Your message").press("Escape");
    await gateway.adapter.deliver(makeDelivery(conversation.room, "r1"));
    await widget.page.getByRole("button", { name: "Open the chat, 1 unread" }).waitFor();
  });

  it("when its token's key was replaced, then it starts over; a forged token is not silently replaced", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("hello");
    const before = await widget.arrived(gateway, 1);
    await widget.page.locator(".said:not(.pending)", { hasText: "hello" }).waitFor();
    const other = await start();
    await widget.open(other);
    await widget.write("again");
    expect((await widget.arrived(other, 1)).conversation.room).not.toBe(before.conversation.room);
    await widget.page.locator(".said:not(.pending)", { hasText: "again" }).waitFor();
    await widget.page.evaluate(
      'for (const key of Object.keys(localStorage)) localStorage.setItem(key, localStorage[key] + "x")',
    );
    await widget.open(other);
    await widget.page.getByRole("status").filter({ hasText: "cannot be continued" }).waitFor();
    await widget.page.getByRole("button", { name: "Start over" }).click();
    await widget.write("new start");
    expect(await widget.arrived(other, 2)).toMatchObject({ text: "new start" });
  });
});
