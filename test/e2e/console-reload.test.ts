import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeProblems } from "../setup/axe-problems.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { ACME_TOKEN, ConsoleRig, PLATFORM_TOKEN } from "./console-rig.ts";
import { ConsoleTab } from "./console-tab.ts";
import { requireFreshBuild } from "./mooring-process.ts";

let browser: Browser;
let rig: ConsoleRig;
const troubles: string[] = [];
const tabs: ConsoleTab[] = [];

const open = async (token: string): Promise<ConsoleTab> => {
  const tab = await ConsoleTab.open(browser, rig.url, { troubles });
  tabs.push(tab);
  await tab.goto();
  await tab.signIn(token);
  await tab.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  return tab;
};

beforeAll(async () => {
  await requireFreshBuild();
  [browser, rig] = await Promise.all([launchChromium(), ConsoleRig.start()]);
});
afterEach(async () => {
  await Promise.all(tabs.splice(0).map((tab) => tab.close()));
});
afterAll(async () => {
  await browser?.close();
  await rig?.stop();
});

describe("given a gateway with a configuration file", () => {
  it("when a platform admin reloads an unchanged file, then the console says that nothing has changed", async () => {
    const tab = await open(PLATFORM_TOKEN);
    await tab.page.getByRole("button", { name: "Reload: configuration" }).click();
    await tab.page.getByRole("dialog", { name: "Reload the configuration?" }).waitFor();
    expect(await axeProblems(tab.page)).toEqual([]);
    await tab.page.getByRole("dialog").getByRole("button", { name: "Reload" }).click();
    await tab.notice("The configuration has not changed.").waitFor();
    expect(troubles.splice(0)).toEqual([]);
  });

  it("when settings have changed, then the console names those that apply and those that need a restart, and the audit log has the reload", async () => {
    const tab = await open(PLATFORM_TOKEN);
    rig.edit({ logLevel: "debug", gateway: { host: "127.0.0.1", port: 0, drainMs: 1 } });
    await tab.confirm("Reload", tab.page.locator("main"));
    await tab.notice("Applied: logLevel. These need a restart of the process: gateway.drainMs.").waitFor();
    const { items } = await rig.ask("audit");
    expect(items[0]).toMatchObject({ action: "POST /admin/api/configuration/reload", status: 200 });
    expect(troubles.splice(0)).toEqual([]);
  });

  it("when the file is not valid, then the console shows the problem, and nothing has changed", async () => {
    const tab = await open(PLATFORM_TOKEN);
    rig.edit("agents: 5");
    await tab.confirm("Reload", tab.page.locator("main"));
    await tab.notice(/agents/).waitFor();
    expect(await rig.ask("me")).toMatchObject({ role: "platform_admin" });
    // The browser logs the refused request.
    troubles.splice(0);
  });

  it("when an org admin signs in, then there is no button to reload", async () => {
    const tab = await open(ACME_TOKEN);
    await tab.page.getByRole("region", { name: "Messages" }).waitFor();
    expect(await tab.page.getByRole("button", { name: /Reload/ }).count()).toBe(0);
    expect(troubles.splice(0)).toEqual([]);
  });
});
