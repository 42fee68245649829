import { describe, expect, it } from "vitest";
import { expectUsable, tabTo } from "./console-checks.ts";
import { ACME_TOKEN, PLATFORM_TOKEN } from "./console-rig.ts";
import { consoleStage } from "./console-stage.ts";

describe.each(["embedded", "nats"] as const)("given the settings of a gateway, on the %s backbone", (backbone) => {
  const stage = consoleStage(backbone);
  const open = () => stage.open(PLATFORM_TOKEN, "/settings");

  it("when a platform admin opens them, then each has value, source and effect, and no secret is shown", async () => {
    const tab = await open();
    const row = tab.row("agents[0].maxToolRounds");
    await row.getByText("restarts the agents").waitFor();
    expect(await row.locator("dl").textContent()).toMatch(/^Value\d+Fromdefault$/);
    expect(await tab.page.textContent("body")).not.toContain(PLATFORM_TOKEN);
    await tab.page.getByText("The file and the settings in force are the same.").waitFor();
    await tab.page.getByLabel("Find a setting").fill("nothing like this");
    await tab.page.getByText("No such setting.").waitFor();
    await tab.page.getByLabel("Find a setting").fill("maxToolRounds");
    await expect.poll(() => tab.page.locator(".row").count()).toBe(3);
    await expectUsable(tab);
  });

  it("when they change a number by keyboard, then the file has it, it is in force, and the audit log has both values (U5)", async () => {
    const tab = await stage.open(PLATFORM_TOKEN, "/settings?show=here");
    await tab.page.getByLabel("Find a setting").fill("agents[0].maxToolRounds");
    await tabTo(tab, "Change: agents[0].maxToolRounds");
    await tab.page.keyboard.press("Enter");
    const dialog = tab.page.getByRole("dialog");
    await dialog.getByLabel("Value").fill("17");
    await expectUsable(tab);
    await dialog.getByLabel("Value").press("Enter");
    await tab.notice("Applied: agents[0].maxToolRounds.").waitFor();
    await expect.poll(() => tab.row("agents[0].maxToolRounds").locator("dl").textContent()).toBe("Value17Fromfile");
    expect(stage.rig.configText).toMatch(/maxToolRounds: 17/);
    const { items } = await stage.rig.ask("audit");
    expect(items[0]).toMatchObject({ detail: { setting: "agents[0].maxToolRounds", to: 17 }, status: 200 });
    const visitor = stage.rig.visitor();
    expect((await visitor.answerTo(visitor.say("hello"))).markdown).toBe("You said: hello");
  });

  it("when the file changes while the dialog is open, then the change is refused and the page shows the difference", async () => {
    const tab = await stage.open(PLATFORM_TOKEN, "/settings?show=here");
    await tab.page.getByLabel("Find a setting").fill("logLevel");
    await tab.page.getByRole("button", { name: "Change: logLevel" }).click();
    stage.rig.edit({ timeZone: "Asia/Tokyo" });
    await tab.page.getByRole("dialog").getByLabel("Value").selectOption("warn");
    await tab.page.getByRole("dialog").getByRole("button", { name: "Save and reload" }).click();
    await tab.notice("The configuration file has changed in the meantime").waitFor();
    await tab.page.getByText(/A reload applies: .*timeZone/).waitFor();
    await expectUsable(tab);
    await tab.confirm("Reload", tab.page.locator("main"));
    await tab.page.getByText("The file and the settings in force are the same.").waitFor();
  });

  it("when the value or the file is not valid, then the page names the line, and nothing changes", async () => {
    const tab = await stage.open(PLATFORM_TOKEN, "/settings?show=here");
    const before = stage.rig.configText;
    await tab.page.getByRole("button", { name: "Change: agents[0].maxToolRounds" }).click();
    await tab.page.getByRole("dialog").getByLabel("Value").fill("-1");
    await tab.page.getByRole("dialog").getByRole("button", { name: "Save and reload" }).click();
    await tab.notice(/agents\[0\]\.maxToolRounds \(line \d+\)/).waitFor();
    expect(stage.rig.configText).toBe(before);
    stage.rig.edit("agents: 5");
    await tab.page.reload();
    await tab.page.getByText("The file is not valid, so a reload would change nothing:").waitFor();
    await tab.page.getByText(/^Line 1: /).waitFor();
    await expectUsable(tab);
    stage.rig.edit({ timeZone: "Asia/Tokyo" });
  });

  it("when an org admin opens them, then the page says that it needs another role", async () => {
    const tab = await stage.open(ACME_TOKEN, "/settings");
    await tab.page.getByText("Sign in with a token whose role allows this, or ask a platform admin.").waitFor();
  });
});
