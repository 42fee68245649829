import { describe, expect, it } from "vitest";
import type { Activity, ActivityItem } from "../../../../core/contract/messages/agent-reply.ts";
import { commandIn } from "../../../fakes/sample-message.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import type { WebGateway } from "../web-gateway.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser();

const NOW = Date.now();
const secondsAgo = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
const tides = (changes: Partial<ActivityItem> = {}): ActivityItem => ({
  id: "subtask-1",
  name: "tides",
  state: "running",
  startedAt: secondsAgo(65),
  ...changes,
});
const knots = (changes: Partial<ActivityItem> = {}): ActivityItem => ({
  id: "subtask-2",
  name: "knots",
  state: "pending",
  ...changes,
});
const show = async (gateway: WebGateway, visitor: string, revision: number, items: ActivityItem[]) => {
  const activity: Activity = { id: "t1/activity", revision, title: "Research", items };
  const reply = { kind: "progress" as const, markdown: `state ${revision}`, data: { activity } };
  if (revision === 1) return gateway.adapter.deliver(makeDelivery(visitor, "t1/activity", { reply }));
  return gateway.adapter.edit("t1/activity", makeDelivery(visitor, `t1/activity/${revision}`, { reply }));
};
const begin = async () => {
  const gateway = await start();
  await widget.open(gateway);
  await widget.write("research tides and knots");
  const { conversation } = await widget.arrived(gateway, 1);
  const visitor = conversation.room;
  return {
    gateway,
    visitor,
    show: (revision: number, ...items: ActivityItem[]) => show(gateway, visitor, revision, items),
  };
};
const toggle = () => widget.page.getByRole("button", { name: /^Research/ });
/** The label of the focused element. */
const focused = () =>
  widget.page.evaluate<string>(`(() => {
  const active = document.querySelector("[data-mooring]").shadowRoot.activeElement;
  return active.getAttribute("aria-label") ?? active.textContent;
})()`);
const rows = () => widget.page.getByRole("listitem");

describe("given delegated work, in the widget (B1)", () => {
  it("when it progresses, then one collapsed entry shows the progress and expands to the list", async () => {
    const { show } = await begin();
    await show(1, tides(), knots());
    await toggle().waitFor();
    expect(await toggle().getAttribute("aria-expanded")).toBe("false");
    expect(await rows().count()).toBe(0);
    await show(
      2,
      tides({ state: "completed", endedAt: secondsAgo(5), result: "twice a day" }),
      knots({ note: "soon" }),
    );
    await widget.page.getByRole("button", { name: "Research 1 of 2 done" }).click();
    await rows().first().waitFor();
    expect(await rows().locator(".name").allTextContents()).toEqual(["tides", "knots"]);
    expect(await rows().locator(".state").allTextContents()).toEqual(["done · 1 min 0 s", "waiting"]);
    expect(await rows().locator(".detail").allTextContents()).toEqual(["twice a day", "soon"]);
    expect(await rows().getByRole("button").allTextContents()).toEqual(["Cancel"]);
    expect(await widget.page.locator(".log > :not(.day)").count()).toBe(2);
  });

  it("when work has changed files, then it shows how many, and offers actions for them (S12)", async () => {
    const { gateway, visitor } = await begin();
    const work = tides({ state: "completed", endedAt: secondsAgo(5), changes: "3 files changed, +45 −12" });
    const activity: Activity = { id: "t1/activity", revision: 1, title: "Research", items: [work] };
    const actions = [{ name: "merge", label: "Merge “tides”", value: "subtask-1" }];
    const reply = { kind: "completion" as const, markdown: "", actions, data: { activity } };
    await gateway.adapter.deliver(makeDelivery(visitor, "t1/activity", { reply }));
    await toggle().click();
    expect(await rows().locator(".state").allTextContents()).toEqual(["done · 1 min 0 s · 3 files changed, +45 −12"]);
    await rows().getByRole("button", { name: "Merge “tides”" }).click();
    expect(commandIn(await widget.arrived(gateway, 2))).toEqual({ name: "merge", args: "subtask-1" });
  });

  it("when it is open or has the focus, then a new state changes neither", async () => {
    const { show } = await begin();
    await show(1, tides(), knots());
    await toggle().focus();
    await widget.page.keyboard.press("Enter");
    await widget.page.keyboard.press("Tab");
    expect(await focused()).toBe("Cancel tides");
    await show(2, tides({ note: "half way" }), knots());
    await rows().filter({ hasText: "half way" }).waitFor();
    expect(await focused()).toBe("Cancel tides");
    await show(3, tides({ state: "completed" }), knots());
    await rows().filter({ hasText: "done" }).waitFor();
    expect(await focused()).toMatch(/^Research/);
    expect(await toggle().getAttribute("aria-expanded")).toBe("true");
  });

  it("when one is cancelled, then the command is sent once, and shown with the name of the work", async () => {
    const { gateway, show } = await begin();
    await show(1, tides(), knots({ state: "running" }));
    await toggle().click();
    await widget.page.getByRole("button", { name: "Cancel knots" }).click();
    await widget.page.getByRole("button", { name: "Cancel knots" }).click({ force: true });
    expect(await widget.arrived(gateway, 2)).toMatchObject({ command: { name: "cancel", args: "subtask-2" } });
    await widget.page.locator(".said.command", { hasText: "Cancel “knots”" }).waitFor();
    await show(2, tides(), knots({ state: "cancelled" }));
    await rows().filter({ hasText: "cancelled" }).waitFor();
    expect(await widget.page.getByRole("button", { name: "Cancel knots" }).count()).toBe(0);
    await widget.page.getByRole("button", { name: "Research 1 of 2 done, 1 cancelled" }).waitFor();
    expect(gateway.accepted).toHaveLength(2);
  });

  it("when it runs, then its duration counts up, and stops at the end", async () => {
    const { show } = await begin();
    await show(
      1,
      tides(),
      knots({ state: "failed", startedAt: secondsAgo(30), endedAt: secondsAgo(10), result: "no rope" }),
    );
    await toggle().click();
    const time = (name: string) => rows().filter({ hasText: name }).locator(".elapsed");
    const first = await time("tides").textContent();
    await expect.poll(() => time("tides").textContent()).not.toBe(first);
    expect(await time("knots").textContent()).toBe("20 s");
    await widget.page.getByRole("button", { name: "Research 1 of 2 done, 1 failed" }).waitFor();
  });

  it("when an older state arrives late, then the newer one stays", async () => {
    const { gateway, visitor, show } = await begin();
    await show(1, tides());
    await show(3, tides({ note: "third" }));
    await show(2, tides({ note: "second" }));
    await gateway.adapter.deliver(makeDelivery(visitor, "r1"));
    await widget.page.locator(".reply", { hasText: "text of r1" }).waitFor();
    await toggle().click();
    expect(await rows().textContent()).toContain("third");
  });

  it("when the page is reloaded, then the entry has its position and its latest state", async () => {
    const { gateway, visitor, show } = await begin();
    await show(1, tides());
    await gateway.adapter.deliver(makeDelivery(visitor, "r1"));
    for (let revision = 2; revision <= 60; revision++) await show(revision, tides({ note: `note ${revision}` }));
    await widget.open(gateway);
    await widget.page.locator(".reply", { hasText: "text of r1" }).waitFor();
    const classes = await widget.page
      .locator(".log > :not(.day)")
      .evaluateAll((nodes) => nodes.map((node) => node.className));
    expect(classes).toEqual(["said", "work", "reply"]);
    await toggle().click();
    expect(await rows().textContent()).toContain("note 60");
  });

  it("when it is read aloud, then changes do not interrupt", async () => {
    const { show } = await begin();
    await show(1, tides());
    await toggle().waitFor();
    expect(await widget.page.locator(".activity").getAttribute("aria-live")).toBe("off");
  });
});
