import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { LogItem, WebClient } from "../fakes/web-client.ts";
import { axeProblems } from "../setup/axe-problems.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { ACME_TOKEN, ConsoleRig, PLATFORM_TOKEN } from "./console-rig.ts";
import { ConsoleTab } from "./console-tab.ts";
import { requireFreshBuild } from "./mooring-process.ts";

const HOSTILE = '<img src=x onerror="alert(1)"> it said a rude word';

let browser: Browser;
let rig: ConsoleRig;
const troubles: string[] = [];
const tabs: ConsoleTab[] = [];

const open = async (token: string, path: string): Promise<ConsoleTab> => {
  const tab = await ConsoleTab.open(browser, rig.url, { troubles });
  tabs.push(tab);
  await tab.goto(path);
  await tab.signIn(token);
  return tab;
};

/** A visitor who has reported the agent's answer to their message. */
const reporting = async (words: string, reason: string): Promise<{ visitor: WebClient; receipt: LogItem }> => {
  const visitor = rig.visitor();
  await visitor.answerTo(visitor.say(words));
  return { visitor, receipt: await visitor.answerTo(visitor.command("report", reason)) };
};

beforeAll(async () => {
  await requireFreshBuild();
  [browser, rig] = await Promise.all([launchChromium(), ConsoleRig.start()]);
});
afterEach(async () => {
  await Promise.all(tabs.splice(0).map((tab) => tab.close()));
  expect(troubles.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await rig?.stop();
});

describe("given messages that people have reported", () => {
  it("when an operator opens Reports, then each has its reason and reporter, the text only if it was included, and Dismiss removes it (R3)", async () => {
    const { visitor, receipt } = await reporting("a private matter", HOSTILE);
    const tab = await open(PLATFORM_TOKEN, "/reports");
    const row = tab.row("it said a rude word");
    await row.getByText("The reporter did not include the text.").waitFor();
    expect(await row.textContent()).toContain(visitor.room);
    expect(await row.textContent()).toContain(HOSTILE);
    expect(await tab.page.locator("img[src=x]").count()).toBe(0);
    expect(await tab.page.textContent("body")).not.toContain("private matter");
    expect(await axeProblems(tab.page)).toEqual([]);

    await visitor.answerTo(visitor.command("report", receipt.actions?.[0]?.value ?? ""));
    await tab.page.reload();
    await tab.row("it said a rude word").getByText("You said: a private matter").waitFor();

    await tab.row("it said a rude word").getByRole("button", { name: "Dismiss: " }).click();
    await tab.notice("The report is dismissed.").waitFor();
    await tab.page.getByText("No reports.").waitFor();
  });

  it("when the operator of another tenant opens Reports and Blocked accounts, then they see nothing of it (R3)", async () => {
    await reporting("hello", "not for acme");
    await rig.ask("reports");
    const tab = await open(ACME_TOKEN, "/reports");
    await tab.page.getByText("No reports.").waitFor();
    await tab.show("Blocked accounts");
    await tab.page.getByText("No account is blocked.").waitFor();
  });
});

describe("given an account that an operator wants to stop", () => {
  it("when they block the reporter and unblock it, then the account is refused once, ignored, and answered again (R3)", async () => {
    const { visitor } = await reporting("hello", "nonsense");
    const tab = await open(PLATFORM_TOKEN, "/reports");
    const row = tab.row("nonsense");
    await row.getByRole("button", { name: "Block the reporter: " }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await tab.confirm("Block the reporter", row);
    await tab.notice(/ on web is blocked\./).waitFor();

    visitor.say("one");
    await visitor.until(() => visitor.errors.some(({ code }) => code === "refused"), "the refusal");
    const asked = visitor.replies().length;
    await tab.show("Blocked accounts");
    const blocked = tab.row(visitor.room ?? "");
    await blocked.getByText("Refused").waitFor();
    expect(await axeProblems(tab.page)).toEqual([]);
    expect(visitor.replies()).toHaveLength(asked);

    await blocked.getByRole("button", { name: "Unblock: " }).click();
    await tab.notice(/ on web is unblocked\./).waitFor();
    await tab.page.getByText("No account is blocked.").waitFor();
    expect((await visitor.answerTo(visitor.say("two"))).markdown).toBe("You said: two");
  });

  it("when they block an account by its id with a reason, then the list and the audit log have it, and a second time is one entry", async () => {
    const tab = await open(PLATFORM_TOKEN, "/blocks");
    for (let time = 0; time < 2; time++) {
      await tab.page.getByRole("button", { name: "Block an account" }).click();
      const dialog = tab.page.getByRole("dialog");
      await dialog.getByLabel("Channel").selectOption("shop");
      await dialog.getByLabel("Account id").fill("spammer-1");
      await dialog.getByLabel("Reason").fill("sends advertisements");
      await dialog.getByRole("button", { name: "Block", exact: true }).click();
      await tab.notice("spammer-1 on shop is blocked.").waitFor();
    }
    const row = tab.row("spammer-1");
    await row.getByText("sends advertisements").waitFor();
    await row.getByText("has not written since").waitFor();
    expect(await row.count()).toBe(1);
    await tab.show("Audit log");
    await tab.row("spammer-1").first().waitFor();
  });
});
