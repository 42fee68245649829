import { describe, expect, it } from "vitest";
import { expectUsable } from "./console-checks.ts";
import { ACME_TOKEN, PLATFORM_TOKEN } from "./console-rig.ts";
import { consoleStage } from "./console-stage.ts";

describe.each(["embedded", "nats"] as const)("given budgets of people and agents, on the %s backbone", (backbone) => {
  const stage = consoleStage(backbone);

  it("when work has used them, then each shows how much of its limit is used, within the operator's tenant (R2, U3)", async () => {
    const [visitor, customer] = [stage.rig.visitor(), stage.rig.visitor("acme")];
    await visitor.answerTo(visitor.say("a private question"));
    await customer.answerTo(customer.say("hello"));
    await expect
      .poll(async () => (await stage.rig.ask("budgets")).items.map(({ tenant }: { tenant: string }) => tenant), {
        timeout: 30_000,
      })
      .toEqual(expect.arrayContaining(["default", "acme"]));
    const tab = await stage.open(PLATFORM_TOKEN, "/budgets");
    await tab
      .row("mooring")
      .getByText(/% used/)
      .first()
      .waitFor();
    await tab
      .row("mooring")
      .getByText(/^\d[\d,.]* of \d/)
      .first()
      .waitFor();
    expect(await tab.page.textContent("body")).not.toContain("private question");
    await expectUsable(tab);
    const own = await stage.open(ACME_TOKEN, "/budgets");
    await own.row("clerk").first().waitFor();
    expect(await own.row("mooring").count()).toBe(0);
  });

  it("when none was used on a day, or the day is not valid, then the page says so", async () => {
    const tab = await stage.open(PLATFORM_TOKEN, "/budgets?day=2020-01-01");
    await tab.page.getByText("No budget was used on this day.").waitFor();
    await expectUsable(tab);
    await tab.turnTo("/budgets?day=odd");
    await tab.page.getByText("Correct your input and try again.").waitFor();
  });
});
