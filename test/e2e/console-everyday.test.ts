import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { teamsFaults } from "../fakes/teams/fault.ts";
import { axeProblems } from "../setup/axe-problems.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { ACME_TOKEN, ConsoleRig, PLATFORM_TOKEN } from "./console-rig.ts";
import { ConsoleTab } from "./console-tab.ts";
import { requireFreshBuild } from "./mooring-process.ts";

let browser: Browser;
let rig: ConsoleRig;
const troubles: string[] = [];
const tabs: ConsoleTab[] = [];

const open = async (token: string, path = "", options = {}): Promise<ConsoleTab> => {
  const tab = await ConsoleTab.open(browser, rig.url, { troubles, ...options });
  tabs.push(tab);
  await tab.goto(path);
  await tab.signIn(token);
  return tab;
};

/** Accessibility problems in both themes. */
const problemsOn = async ({ page }: ConsoleTab): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: "dark" });
  const inTheDark = await axeProblems(page, "color-contrast");
  await page.emulateMedia({ colorScheme: "light" });
  return [...inTheDark, ...(await axeProblems(page))];
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

describe("given messages on two channels of different tenants", () => {
  it("when an operator signs in, then the overview shows the traffic with charts; an org admin sees their own only (U3)", async () => {
    const [visitor, customer] = [rig.visitor(), rig.visitor("acme")];
    for (const text of ["one", "two"]) await visitor.answerTo(visitor.say(text));
    await customer.answerTo(customer.say("three"));
    // The counts are stored every ten seconds.
    await expect
      .poll(() => rig.ask("overview"), { timeout: 30_000 })
      .toMatchObject({
        total: { messages: 3, answers: 3, failures: 0 },
      });
    const tab = await open(PLATFORM_TOKEN);
    await tab.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    const tile = tab.page.getByRole("region", { name: "Messages" });
    await tile.getByText("3", { exact: true }).waitFor();
    await expect
      .poll(() => tile.getByRole("img").getAttribute("aria-label"))
      .toMatch(/^Messages over time: highest 3, /);
    await expect.poll(() => tile.locator("svg .hit").count()).toBe(24);
    // Answers within a second are not "0.0 s".
    const timeToAnswer = tab.page.getByRole("region", { name: "Time to answer" });
    expect(await timeToAnswer.textContent()).toMatch(/answer(\d+ ms|[1-9]\d*\.\d s)$/);
    expect(await problemsOn(tab)).toEqual([]);
    await tab.page.getByRole("link", { name: "7 days" }).click();
    await expect.poll(() => tile.locator("svg .hit").count()).toBe(7);

    const own = await open(ACME_TOKEN);
    await own.page.getByRole("region", { name: "Messages" }).getByText("1", { exact: true }).waitFor();
    await expect.poll(() => own.page.locator(".row-title").allTextContents()).toEqual(["acme"]);
  });
});

describe("given dead letters of several people", () => {
  it("when an operator marks all and retries them, then all are sent; when they are dismissed, none is (D6)", async () => {
    const people = ["ann", "bob", "cid"];
    rig.teams.fault = teamsFaults.blocked;
    for (const person of people) await rig.teams.say({ text: `from ${person}`, person });
    await expect.poll(async () => (await rig.ask("dead-letters")).items.length).toBe(3);
    const tab = await open(PLATFORM_TOKEN, "/dead-letters");
    const all = tab.page.getByLabel("Mark all on this page");
    await all.check();
    await tab.page.getByText("3 marked").waitFor();
    expect(await problemsOn(tab)).toEqual([]);
    await tab.row("ann").getByRole("checkbox").uncheck();
    await tab.page.getByText("2 marked").waitFor();
    expect(await all.isChecked()).toBe(false);
    rig.teams.recover();
    await tab.page.getByRole("button", { name: /^Retry all/ }).click();
    await tab.notice("2 dead letters are retried.").waitFor();
    const hasPost = (person: string) => (posts: readonly { conversationId: string }[]) =>
      posts.some(({ conversationId }) => conversationId.includes(person));
    for (const person of ["bob", "cid"]) await rig.teams.api.posts.until(hasPost(person));

    await tab.row("ann").getByRole("checkbox").check();
    await tab.page.getByRole("button", { name: /^Dismiss all/ }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Dismiss all" }).click();
    await tab.notice("1 dead letter is dismissed.").waitFor();
    await tab.page.getByText("No dead letters.").waitFor();
    await tab.show("Audit log");
    await tab.row("Settle dead letters").first().waitFor();
  });
});

describe("given a conversation with words behind its summary", () => {
  it("when an operator searches, then names and summaries are found at once, and private words with a reason only (U3, R4)", async () => {
    const visitor = rig.visitor("shop");
    const text = `Please look for my parcel, it should have come on Monday, and today is Friday already. It is ${"very ".repeat(9)}late: walrus-77`;
    await visitor.answerTo(visitor.say(text));
    const tab = await open(PLATFORM_TOKEN, "/search");
    const field = tab.page.getByRole("searchbox", { name: "Search for" });
    await field.fill("parcel monday");
    await field.press("Enter");
    await tab.page.getByRole("list", { name: "Messages" }).getByRole("link").waitFor();
    await tab.page.getByRole("list", { name: "Sessions" }).getByRole("link").waitFor();
    expect(await problemsOn(tab)).toEqual([]);

    await field.fill("walrus-77");
    await field.press("Enter");
    await tab.page.getByText("Nothing has this id, name or summary.").waitFor();
    await tab.page.getByLabel("Reason").fill("a request of the person");
    await tab.page.getByRole("button", { name: "Search words" }).click();
    const found = tab.page.getByRole("list", { name: "Sessions with these words" });
    await found.getByRole("link").click();
    await tab.page.getByText("This conversation is private").waitFor();
  });
});
