import { describe, expect, it } from "vitest";
import { expectUsable, tabTo } from "./console-checks.ts";
import { ACME_TOKEN, PLATFORM_TOKEN } from "./console-rig.ts";
import { consoleStage } from "./console-stage.ts";

describe.each(["embedded", "nats"] as const)("given the live log of a channel, on the %s backbone", (backbone) => {
  const stage = consoleStage(backbone);

  it("when messages arrive, then their lines appear, without their words; pause and levels work by keyboard (U3, R4)", async () => {
    const tab = await stage.open(PLATFORM_TOKEN, "/channels/web");
    await tab.page.getByRole("link", { name: "Live log" }).click();
    await tab.page.getByText("live", { exact: true }).waitFor();
    await tab.page.getByText(/^Process .* logs at level /).waitFor();
    const visitor = stage.rig.visitor();
    await visitor.answerTo(visitor.say("a private matter"));
    const lines = tab.page.getByRole("log").getByRole("listitem");
    await lines.filter({ hasText: "message accepted" }).first().waitFor();
    expect(await tab.page.textContent("body")).not.toContain("private matter");
    await expectUsable(tab);

    await tabTo(tab, "Pause");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByText("paused", { exact: true }).waitFor();
    const accepted = lines.filter({ hasText: "message accepted" });
    const before = await accepted.count();
    await visitor.answerTo(visitor.say("another private matter"));
    expect(await accepted.count()).toBe(before);
    await tab.page.getByRole("button", { name: "Continue" }).press("Enter");
    await expect.poll(() => accepted.count()).toBe(before + 1);

    await tab.page.getByRole("link", { name: "Errors", exact: true }).click();
    await expect.poll(() => accepted.count()).toBe(0);
  });

  it("when the channel has written nothing, then the page says so", async () => {
    const tab = await stage.open(PLATFORM_TOKEN, "/channel-log/shop?level=error");
    await tab.page.getByText("No lines yet.").waitFor();
    await expectUsable(tab);
  });

  it("when the channel belongs to another tenant, then the page says that it is not there", async () => {
    const tab = await stage.open(ACME_TOKEN, "/channel-log/web");
    await tab.page.getByText('There is no channel "web" that you may manage.').waitFor();
    await expectUsable(tab);
  });
});
