import { describe, expect, it } from "vitest";
import { expectUsable, tabTo } from "./console-checks.ts";
import { ACME_TOKEN, PLATFORM_TOKEN } from "./console-rig.ts";
import { consoleStage } from "./console-stage.ts";

describe.each(["embedded", "nats"] as const)("given operators and schedules, on the %s backbone", (backbone) => {
  const stage = consoleStage(backbone);

  it("when there are none, then the page says where they come from", async () => {
    const tab = await stage.open(PLATFORM_TOKEN, "/schedules");
    await tab.page.getByText("No schedules.").waitFor();
    await expectUsable(tab);
  });

  it("when one is in another zone, then its next run is shown in both; it is paused and resumed by keyboard (U3, P3)", async () => {
    await stage.rig.post("schedules", {
      ...{ agent: "mooring", description: "Morning brief", prompt: "a private prompt", when: "0 9 * * *" },
      ...{ timeZone: "Asia/Tokyo", deliverTo: { channel: "web", room: "lobby" } },
    });
    const tab = await stage.open(PLATFORM_TOKEN, "/schedules");
    const row = tab.titled("Morning brief");
    await row.waitFor();
    const facts = await row.locator("dl").textContent();
    expect(facts).toMatch(/Next run, Asia\/Tokyo\w{3} \d+ \w{3}, 09:00/);
    expect(facts).toMatch(/Next run, UTC\w{3} \d+ \w{3}, 00:00/);
    expect(await tab.page.textContent("body")).not.toContain("private prompt");
    await expectUsable(tab);

    await tabTo(tab, "Pause: Morning brief");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("dialog").getByRole("button", { name: "Pause" }).press("Enter");
    await tab.notice("Morning brief is paused.").waitFor();
    await row.getByText(/Paused .*: an operator paused it\./).waitFor();
    await expectUsable(tab);
    await tab.page.getByRole("link", { name: "Active", exact: true }).click();
    await tab.page.getByText("No schedules.").waitFor();
    await tab.page.getByRole("link", { name: "Paused", exact: true }).click();
    await row.getByRole("button", { name: "Resume: " }).click();
    await tab.notice("Morning brief is active again.").waitFor();
    await tab.show("Audit log");
    await tab.row("Pause a schedule").waitFor();
  });

  it("when it has run, then the list shows the outcome of the last run", async () => {
    const soon = new Date(Date.now() + 1_500).toISOString();
    const deliverTo = { channel: "web", room: "lobby" };
    const body = { agent: "mooring", description: "Soon", prompt: "now", when: soon, deliverTo };
    expect(await stage.rig.post("schedules", body)).toMatchObject({ status: "active" });
    await expect
      .poll(
        async () => {
          const { items } = await stage.rig.ask("schedules");
          return items.find((each: { description: string }) => each.description === "Soon").lastRun?.state;
        },
        { timeout: 30_000 },
      )
      .toBe("ended");
    const tab = await stage.open(PLATFORM_TOKEN, "/schedules");
    await tab
      .titled("Soon")
      .locator("dl")
      .getByText(/answered|failed/)
      .waitFor();
  });

  it("when an operator of another tenant opens it, then they see nothing of it", async () => {
    const tab = await stage.open(ACME_TOKEN, "/schedules");
    await tab.page.getByText("No schedules.").waitFor();
  });
});
