import { describe, expect, it } from "vitest";
import type { Store } from "../../core/contract/ports/store.ts";
import { plantUse } from "../core/budgets/plant-use.ts";
import { expectUsable } from "./console-checks.ts";
import { ACME_TOKEN, PLATFORM_TOKEN } from "./console-rig.ts";
import { consoleStage } from "./console-stage.ts";
import type { ConsoleTab } from "./console-tab.ts";

const dayAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString().slice(0, 10);

const plantDays = async (store: Store) => {
  await plantUse(store, { day: dayAgo(2), personId: "p-ann", model: "large", tokens: 1_000, cost: 0.5 });
  await plantUse(store, { day: dayAgo(3), personId: "p-ann", model: "large", tokens: 2_000, cost: 0.75 });
  await plantUse(store, { day: dayAgo(3), personId: "p-ann", model: "small", tokens: 40 });
  await plantUse(store, { day: dayAgo(12), personId: "p-bob", model: "large", tokens: 9_000, cost: 3 });
  await plantUse(store, { day: dayAgo(2), personId: "p-eve", tenant: "acme", agent: "clerk", cost: 1 });
};

describe.each(["embedded", "nats"] as const)("given use by people on several days, on the %s backbone", (backbone) => {
  const stage = consoleStage(backbone, plantDays);
  const titles = (tab: ConsoleTab) =>
    tab.page.getByRole("list", { name: "People" }).locator(".row-title").allInnerTexts();
  const choose = (tab: ConsoleTab, range: string) =>
    tab.page.getByRole("navigation", { name: "Range" }).getByRole("link", { name: range }).click();

  it("when an operator chooses 7 or 30 days, then each person has tokens and cost of that range by model (R2, U3)", async () => {
    const tab = await stage.open(PLATFORM_TOKEN, "/use");
    await tab.page.getByText("No use on this day.").first().waitFor();
    await choose(tab, "7 days");
    const ann = tab.page.getByRole("list", { name: "People" }).locator(".row", { hasText: "p-ann" });
    await ann.waitFor();
    expect(await titles(tab)).toEqual(["p-ann", "p-eve"]);
    const text = await ann.innerText();
    expect(text).toMatch(/Tokens read\s+3,040/);
    expect(text).toMatch(/Cost\s+1\.25/);
    expect(text).toMatch(/Model large\s+3,002 tokens, cost 1\.25/);
    expect(text).toMatch(/Model small\s+41 tokens, no price/);
    await tab.page.getByText(`${dayAgo(6)} to ${dayAgo(0)}`).waitFor();
    await expectUsable(tab);

    await choose(tab, "30 days");
    await tab.row("p-bob").waitFor();
    expect(await titles(tab)).toEqual(["p-bob", "p-ann", "p-eve"]);
    const totals = tab.page.getByRole("list", { name: "Agents and models" }).locator(".row", { hasText: "large" });
    expect(await totals.innerText()).toMatch(/Cost\s+4\.25[\s\S]*People\s+2/);
  });

  it("when the last day is an earlier one, then the range ends there, and an operator of a tenant sees only its people", async () => {
    const tab = await stage.open(ACME_TOKEN, `/use?days=7&day=${dayAgo(3)}`);
    await tab.page.getByText("No use on these days.").first().waitFor();
    await tab.turnTo(`/use?days=7&day=${dayAgo(1)}`);
    await tab.row("p-eve").waitFor();
    expect(await titles(tab)).toEqual(["p-eve"]);
  });
});
