import { describe, expect, it } from "vitest";
import type { Activity } from "../../../../core/contract/messages/agent-reply.ts";
import { axeProblems } from "../../../setup/axe-problems.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
/** During the opening transition, colours are not final yet. */
const widget = new WidgetInBrowser({ reducedMotion: "reduce" });

const activity: Activity = {
  id: "a1",
  revision: 1,
  title: "Research",
  items: [
    { id: "subtask-1", name: "tides", state: "completed", startedAt: new Date().toISOString(), result: "twice a day" },
    { id: "subtask-2", name: "knots", state: "running", startedAt: new Date().toISOString(), note: "soon" },
    { id: "subtask-3", name: "ropes", state: "failed" },
    { id: "subtask-4", name: "sails", state: "cancelled" },
    { id: "subtask-5", name: "oars", state: "pending" },
  ],
};
const anchor = { summary: "deep research", channel: "slack", startedAt: new Date().toISOString(), text: "" };
const markdown =
  "# Title\n\nText, **bold**, `code`, [a link](https://example.com)\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nlong code\n```\n\n- [x] one";

describe.each(["light", "dark"] as const)("given the widget in its %s colours", (theme) => {
  it("when axe checks each of its views, then it finds no violation", async () => {
    const gateway = await start({ config: { limits: { fileBytes: 1_000 } } });
    const { page } = widget;
    widget.site.attributes = `data-theme="${theme}" data-suggestions="One|Two"`;
    widget.site.gateway = gateway;
    await page.goto(widget.site.url);
    await page.getByRole("button", { name: "Open the chat" }).waitFor();
    const found: Record<string, string[]> = { closed: await axeProblems(page) };
    await page.getByRole("button", { name: "Open the chat" }).click();
    await page.getByRole("button", { name: "One" }).waitFor();
    found.welcome = await axeProblems(page);

    await widget.write("hello");
    const { id, conversation } = await widget.arrived(gateway, 1);
    gateway.adapter.onSignal({
      type: "delta",
      conversation,
      correlationId: id,
      attempt: 1,
      offset: 0,
      text: "It began",
    });
    await page.locator(".drafts .reply").waitFor();
    found.streaming = await axeProblems(page);

    const { room } = conversation;
    await gateway.adapter.deliver(makeDelivery(room, "r1", { reply: { markdown, correlationId: id } }));
    await gateway.adapter.deliver(makeDelivery(room, "r2", { anchor }));
    const progress = { kind: "progress" as const, markdown: "", data: { activity } };
    await gateway.adapter.deliver(makeDelivery(room, "r3", { reply: progress }));
    await gateway.adapter.deliver(makeDelivery(room, "r4", { reply: { kind: "notice", markdown: "Cleared." } }));
    await gateway.adapter.deliver(makeDelivery(room, "r5", { reply: { outcome: "failed", markdown: "Trouble." } }));
    await page.locator(".activity .toggle").click();
    await page.getByRole("button", { name: "Reply" }).first().click();
    const large = { name: "large.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(3_000) };
    const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("tides") };
    await page.locator("input[type=file]").setInputFiles([notes, large]);
    await page.locator(".uploads .file", { hasText: "5 B" }).waitFor();
    found.conversation = await axeProblems(page);

    widget.site.gateway = undefined;
    await gateway.stop();
    await page.getByRole("status").filter({ hasText: "Offline" }).waitFor();
    await page.getByRole("button", { name: "Remove large.bin" }).click();
    await widget.write("waiting");
    await page.locator(".said.pending").waitFor();
    found.offline = await axeProblems(page);
    expect(found).toEqual({ closed: [], welcome: [], streaming: [], conversation: [], offline: [] });
  });
});

describe("given a person with a screen reader or a keyboard", () => {
  it("when an answer has streamed in, then it is announced once, complete; history is not", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    const announced = () => widget.page.locator("[aria-live=polite]").textContent();
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { reply: { markdown: "It is **done**" } }));
    await expect.poll(announced).toBe("It is done");
    expect(await widget.page.getByRole("log").getAttribute("aria-live")).toBe("off");
    await widget.open(gateway);
    await widget.page.locator(".reply", { hasText: "It is done" }).waitFor();
    expect(await announced()).toBe("");
  });

  it("when the chat is opened and closed by keyboard, then the focus moves in and back", async () => {
    const gateway = await start();
    widget.site.gateway = gateway;
    await widget.page.goto(widget.site.url);
    const launcher = widget.page.getByRole("button", { name: "Open the chat" });
    await launcher.focus();
    await widget.page.keyboard.press("Enter");
    const focused = () =>
      widget.page.evaluate<string>(
        'document.querySelector("[data-mooring]").shadowRoot.activeElement?.getAttribute("aria-label") ?? ""',
      );
    await expect.poll(focused).toBe("Your message");
    await widget.page.keyboard.press("Escape");
    await expect.poll(focused).toBe("Open the chat");
  });
});
