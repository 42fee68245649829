import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { NatsServer } from "../fakes/nats-server.ts";
import type { PostedActivity } from "../fakes/teams/connector-api.ts";
import { teamsFaults } from "../fakes/teams/fault.ts";
import { objectIdOf } from "../fakes/teams/sent-activity.ts";
import { axeProblems } from "../setup/axe-problems.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { ACME_TOKEN, ConsoleRig, PLATFORM_TOKEN } from "./console-rig.ts";
import { ConsoleTab } from "./console-tab.ts";
import { linkAccounts } from "./link-accounts.ts";
import { requireFreshBuild } from "./mooring-process.ts";

const HOSTILE = '<img src=x onerror="alert(1)"> {{7*7}} javascript:alert(1)';

/** Polls for changes that the page does not announce. */

const isAbout = ({ text }: PostedActivity, words: string): boolean => text?.includes(words) === true;

let browser: Browser;
let rig: ConsoleRig;
const troubles: string[] = [];
const tabs: ConsoleTab[] = [];

const open = async (token: string | undefined, path = "", options = {}, url = rig.url): Promise<ConsoleTab> => {
  const tab = await ConsoleTab.open(browser, url, { troubles, ...options });
  tabs.push(tab);
  await tab.goto(path);
  if (token !== undefined) await tab.signIn(token);
  return tab;
};

/** The latest entry of the audit log. Its outcome is stored after the response. */
const audited = async (tab: ConsoleTab, action: string): Promise<string> => {
  await expect.poll(() => rig.ask("audit?limit=1")).toMatchObject({ items: [{ status: expect.any(Number) }] });
  await tab.show("Audit log");
  const entry = tab.page.locator(".row").first();
  await entry.getByText(action).waitFor();
  return (await entry.textContent()) ?? "";
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

describe("given an operator who opens the console", () => {
  it("when the token is wrong, then sign-in fails with an error; a valid token is stored in this tab only", async () => {
    const { page } = await open("not-a-token-at-all");
    await page.getByRole("alert").filter({ hasText: "The gateway does not accept this token" }).waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
    await page.getByLabel("Operator token").fill(PLATFORM_TOKEN);
    await page.keyboard.press("Enter");
    await page.getByText("Platform admin").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    const kept = "[localStorage.length, document.cookie, JSON.stringify(Object.values(sessionStorage))]";
    expect(await page.evaluate(kept)).toEqual([0, "", JSON.stringify([PLATFORM_TOKEN])]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Operator token").waitFor();
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  it("when it is served, then its policy allows only its own files and the gateway, and pages are not cached", async () => {
    const page = await fetch(`${rig.url}/console/trace/some%2Fid`);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    const script = await fetch(`${rig.url}/console/assets/console.js`);
    const etag = script.headers.get("etag") ?? "";
    expect(script.headers.get("content-type")).toContain("text/javascript");
    const again = await fetch(`${rig.url}/console/assets/console.js`, { headers: { "if-none-match": etag } });
    expect([again.status, (await fetch(`${rig.url}/console/assets/other.js`)).status]).toEqual([304, 404]);
  });
});

describe("given a platform admin", () => {
  it("when a channel is paused and resumed, then its state follows and the audit log has both (U3)", async () => {
    const tab = await open(PLATFORM_TOKEN, "/channels");
    const web = tab.row(/^web/);
    await web.getByText("running").waitFor();
    await web.getByRole("button", { name: "Pause: web" }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await tab.page.getByRole("dialog").count()).toBe(0);
    await web.getByRole("button", { name: "Pause: web" }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await web.getByText("Paused just now by a platform admin").waitFor();
    await web.getByRole("button", { name: "Resume: web" }).click();
    await web.getByText("running").waitFor();
    await tab.show("Audit log");
    await tab.row("Resume a channel").first().getByText("done").waitFor();
    expect(await tab.row("Pause a channel").first().textContent()).toContain("web");

    await tab.goto("/audit?limit=1");
    await tab.row("Resume a channel").waitFor();
    await tab.page.getByRole("link", { name: "Next page" }).click();
    await tab.row("Pause a channel").waitFor();
    expect(await tab.page.locator(".row").count()).toBe(1);
    await tab.page.getByRole("link", { name: "First page" }).click();
    await tab.row("Resume a channel").waitFor();
  });

  it("when a running subtask is cancelled, then its requester is notified, and the audit log records it (U3)", async () => {
    const visitor = rig.visitor();
    await visitor.answerTo(visitor.say("research knots"));
    await expect.poll(() => rig.ask("subtasks")).toMatchObject({ items: [{ status: "running" }] });
    const tab = await open(PLATFORM_TOKEN, "/subtasks");
    await tab.confirm("Cancel", tab.titled("knots"));
    await tab.notice("knots is cancelled.").waitFor();
    await tab.page.getByText("No open subtasks.").waitFor();
    const isCancelled = () =>
      visitor.log.some(({ activity }) => activity?.items.some(({ state }) => state === "cancelled"));
    await visitor.until(isCancelled, "the word that it was cancelled");
    expect(await audited(tab, "Cancel a subtask")).toContain("done");
  });

  it("when work is in progress, then its trace updates up to each delivery without a reload (U3)", async () => {
    const visitor = rig.visitor();
    await visitor.answerTo(visitor.say("research lighthouses and tides"));
    const tab = await open(PLATFORM_TOKEN, "/subtasks");
    await tab.titled("tides").locator(".mark", { hasText: "running" }).waitFor();
    await tab.titled("tides").getByRole("link").click();
    const subtasks = tab.page.getByRole("list", { name: "Subtasks" });
    await subtasks.locator(".mark", { hasText: "running" }).nth(1).waitFor();
    await tab.page.getByText("live", { exact: true }).waitFor();
    const address = tab.page.url();
    rig.gate.release();
    await subtasks
      .getByText(/completed/)
      .nth(1)
      .waitFor();
    const answer = tab.page.locator(".moment", { hasText: "Synthesis of all results" });
    await answer.getByRole("list", { name: "Deliveries" }).getByText("shown").waitFor();
    await tab.page.getByText("ended", { exact: true }).waitFor();
    expect(tab.page.url()).toBe(address);
  });

  it("when another agent was called, then the trace has the hop and its turn", async () => {
    const visitor = rig.visitor();
    await visitor.answerTo(visitor.say("ask harbour how deep it is at the pier"));
    const tab = await open(PLATFORM_TOKEN, "/sessions");
    await tab.page
      .getByRole("link", { name: /^ask harbour/ })
      .first()
      .click();
    await tab.page.getByRole("heading", { name: "Turns of a session" }).waitFor();
    await tab
      .row(/^ask harbour/)
      .first()
      .getByText("answered", { exact: true })
      .waitFor();
    await tab.page
      .getByRole("link", { name: /^ask harbour/ })
      .first()
      .click();
    const hop = tab.page.getByRole("list", { name: "Other agents" });
    await hop.getByText(/consulted, answered in/).waitFor();
    expect(await hop.textContent()).toContain("mooring → harbour");
    await tab.page
      .locator(".moment", { hasText: "Turn of harbour" })
      .getByText(/answered in/)
      .waitFor();
  });

  it("when a person in Teams has blocked the app, then the dead letter says so, and a retry works after they unblock it (D6)", async () => {
    rig.teams.fault = teamsFaults.blocked;
    const from = { id: "29:eve", name: HOSTILE, aadObjectId: "00000000-0000-4000-8000-000000000666" };
    await rig.teams.say({ text: HOSTILE, person: "eve", more: { from } });
    await expect.poll(() => rig.ask("dead-letters")).toMatchObject({ items: [{ channel: "teams" }] });
    const tab = await open(PLATFORM_TOKEN, "/dead-letters?channel=teams");
    const letter = tab.row("The person has blocked the app in Teams");
    expect(await letter.locator(".mark").textContent()).toBe("blocked");
    await tab.goto("/channels/teams");
    const unreached = tab.page.getByRole("list", { name: "Unreachable" });
    await unreached.getByText("blocked", { exact: true }).waitFor();
    await tab.goto("/dead-letters?channel=teams");
    rig.teams.recover();
    await letter.getByRole("button", { name: /^Retry/ }).click();
    await tab.notice("The delivery is retried.").waitFor();
    await tab.page.getByText("No dead letters.").waitFor();
    await rig.teams.api.posts.until((posts) => posts.some(({ conversationId }) => conversationId.includes("eve")));

    await tab.show("People");
    await tab.row(HOSTILE).waitFor();
    await tab.show("Sessions");
    await tab.row("onerror").waitFor();
    expect(await tab.page.locator("main img").count()).toBe(0);
  });

  it("when a dead letter is dismissed, then it is never sent, even once the person can be reached (D6)", async () => {
    rig.teams.fault = teamsFaults.blocked;
    await rig.teams.say({ text: "before", person: "mallory" });
    await expect.poll(() => rig.ask("dead-letters")).toMatchObject({ items: [{ channel: "teams" }] });
    rig.teams.recover();
    const tab = await open(PLATFORM_TOKEN, "/dead-letters?channel=teams");
    await tab.confirm("Dismiss", tab.row("mallory"));
    await tab.notice("The dead letter is dismissed.").waitFor();
    await tab.page.getByText("No dead letters.").waitFor();
    await rig.teams.say({ text: "after", person: "mallory" });
    const posts = await rig.teams.api.posts.until((all) => all.some(({ activity }) => isAbout(activity, "after")));
    expect(posts.filter(({ activity }) => isAbout(activity, "before"))).toEqual([]);
    expect(await audited(tab, "Dismiss a dead letter")).toContain("done");
  });

  it("when a test message is sent, then it arrives, and the page shows the platform's message id (U3)", async () => {
    await rig.teams.say({ text: "hello", person: "bob" });
    await rig.teams.api.posts.until((posts) => posts.some(({ conversationId }) => conversationId.includes("bob")));
    const tab = await open(PLATFORM_TOKEN, "/channels");
    await tab.page.getByRole("button", { name: "Test: teams" }).click();
    const dialog = tab.page.getByRole("dialog");
    await dialog.getByLabel("Id of the account").fill(objectIdOf("bob"));
    await dialog.getByLabel("Text").fill("Is anybody at the pier?");
    await dialog.getByRole("button", { name: "Send" }).click();
    await tab.page.getByRole("heading", { name: "Deliveries of a reply" }).waitFor();
    const posts = await rig.teams.api.posts.until((all) => all.some(({ activity }) => isAbout(activity, "the pier")));
    await tab.page.getByRole("button", { name: "Reload" }).click();
    const deliveries = tab.page.getByRole("list", { name: "Deliveries" });
    await deliveries.getByText("delivered").waitFor();
    const id = posts.find(({ activity }) => isAbout(activity, "the pier"))?.id;
    expect(await deliveries.textContent()).toContain(`platform id ${id}`);
    expect(await audited(tab, "Send a test message")).toMatch(/done.*teams.*Account/);
  });

  it("when an account is unlinked, then it becomes a separate person, and both sides are notified (I1)", async () => {
    const [one, other] = [rig.visitor(), rig.visitor("shop")];
    await linkAccounts(one, other);
    const [staying, leaving] = [one.room ?? "", other.room ?? ""];
    const tab = await open(PLATFORM_TOKEN, "/people");
    const account = tab.row(staying).getByRole("listitem").filter({ hasText: leaving });
    await tab.confirm("Unlink", account);
    await tab.notice("Visitor on shop is unlinked.").waitFor();
    await account.waitFor({ state: "detached" });
    expect(await tab.row(leaving).locator("code").allTextContents()).toContain(leaving);
    const isNotified = (visitor: typeof one) => () =>
      visitor.replies().some(({ markdown }) => markdown?.includes("has unlinked"));
    for (const each of [one, other]) await each.until(isNotified(each), "the word that it was unlinked");
    expect(await audited(tab, "Unlink an account")).toMatch(new RegExp(`done.*${leaving}`));
  });

  it("when a schedule is created here, then it can be run at once, and its run links to a trace (P1)", async () => {
    const tab = await open(PLATFORM_TOKEN, "/schedules");
    await tab.page.getByText("No schedules.").waitFor();
    await tab.page.getByRole("button", { name: "New schedule" }).click();
    const dialog = tab.page.getByRole("dialog");
    const fill = (label: string, text: string) => dialog.getByLabel(label, { exact: true }).fill(text);
    await fill("Name", "Tide table");
    await fill("Prompt", "tides of today");
    await fill("When", "every blue moon");
    await fill("Channel", "teams");
    await fill("Room", "19:harbour@thread.tacv2");
    await dialog.getByRole("button", { name: "Create" }).click();
    await tab.page.locator(".notice.bad").waitFor();
    await fill("When", "0 9 * * 1-5");
    await dialog.getByRole("button", { name: "Create" }).click();
    await tab.notice("Tide table is scheduled.").waitFor();
    const row = tab.row("Tide table");
    expect(await row.textContent()).toMatch(/active.*09:00.*Next run/);
    await row.getByRole("button", { name: "Run now: Tide table" }).click();
    await tab.notice("Tide table is running now.").waitFor();
    const { ref } = (await rig.ask("schedules")).items[0];
    await expect.poll(() => rig.ask(`schedules/${ref}/runs`)).toMatchObject({ items: [{ state: "ended" }] });
    await row.getByRole("link", { name: "Tide table" }).click();
    await tab.page.getByRole("list", { name: "Runs" }).getByRole("link").click();
    await tab.page.locator(".moment", { hasText: "Turn of a schedule" }).waitFor();
  });

  it("when asynchronous mode is turned on, then the consequences are confirmed first; turning it off works at once (A2)", async () => {
    const tab = await open(PLATFORM_TOKEN, "/tenants");
    await tab.page.getByRole("button", { name: "Turn on async: default" }).click();
    const dialog = tab.page.getByRole("dialog");
    await dialog.getByText("Model usage increases").waitFor();
    const listed = await dialog.getByRole("listitem").allTextContents();
    expect(listed).toHaveLength(5);
    expect(listed.at(-1)).toContain("Turning it off takes effect at once");
    await tab.page.keyboard.press("Escape");
    expect(await dialog.count()).toBe(0);
    await tab.page.getByRole("button", { name: "Turn on async: default" }).press("Enter");
    await dialog.getByRole("button", { name: "I have read this: turn on" }).click();
    await tab.page.getByRole("button", { name: "Turn off async: default" }).click();
    await tab.page.getByRole("button", { name: "Turn on async: default" }).waitFor();
    expect(await dialog.count()).toBe(0);
  });
});

describe("given an org admin", () => {
  it("then only their tenant is listed, forbidden actions are not offered, and a refusal has its reason", async () => {
    const tab = await open(ACME_TOKEN);
    await tab.page.getByText("tenant acme").waitFor();
    await tab.row("acme").waitFor();
    expect(await tab.page.locator(".row").count()).toBe(1);
    await tab.show("Tenants");
    // The heading is there before the list has arrived.
    await expect.poll(() => tab.page.locator(".row-title").allTextContents()).toEqual(["acme"]);
    await tab.show("Dead letters");
    await tab.page.getByText("No dead letters.").waitFor();
    expect(await tab.page.getByRole("link", { name: "Messages" }).count()).toBe(0);
    await tab.goto("/dead-letters?kind=message");
    const refusal = tab.page.getByRole("alert");
    await refusal.getByText("Only a platform admin may do this, because it belongs to no tenant.").waitFor();
    expect(await refusal.textContent()).toContain("Sign in with a token whose role allows this");
    await tab.goto("/channels/web");
    await tab.page.getByRole("alert").getByText('There is no channel "web" that you may manage.').waitFor();
  });
});

describe("given a failing gateway", () => {
  it("when the gateway does not answer, then the page shows an error and recovers afterwards", async () => {
    const tab = await open(PLATFORM_TOKEN);
    await tab.row(/^web/).waitFor();
    await tab.page.route("**/admin/api/sessions*", (route) => route.abort());
    await tab.show("Sessions");
    await tab.page.getByRole("alert").getByText("The gateway does not answer.").waitFor();
    await tab.page.unroute("**/admin/api/sessions*");
    await tab.page.getByRole("button", { name: "Try again" }).click();
    await tab.page.getByRole("list", { name: "Sessions" }).waitFor();
  });

  it("when the token is no longer accepted, then the operator signs in again and returns to the same page", async () => {
    const tab = await open(PLATFORM_TOKEN, "/people");
    await tab.page.getByRole("list", { name: "People" }).waitFor();
    await tab.page.route("**/admin/api/**", (route) =>
      route.fulfill({ status: 401, json: { error: { message: "no" } } }),
    );
    await tab.page.getByRole("link", { name: "Audit log" }).click();
    await tab.page.getByRole("alert").filter({ hasText: "does not accept this token" }).waitFor();
    await tab.page.unroute("**/admin/api/**");
    await tab.signIn(PLATFORM_TOKEN);
    await tab.page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor();
  });

  it("when an id or an address is unknown, then the page says what to do", async () => {
    const tab = await open(PLATFORM_TOKEN, "/trace/no-such-id");
    await tab.page.getByRole("alert").getByText("No message, turn, reply, subtask or trace has this id").waitFor();
    await tab.goto("/nowhere");
    await tab.page.getByText("The console has no page at this address.").waitFor();
  });
});

/** The heading of each view. Views without an address in the menu are reached from others. */
const VIEWS: Readonly<Record<string, string>> = {
  overview: "Overview",
  "search?q=web": "Search",
  channels: "Channels",
  "channels/web": "Channel web",
  trace: "Trace",
  sessions: "Sessions",
  "subtasks?status=all": "Subtasks",
  schedules: "Schedules",
  "dead-letters": "Dead letters",
  people: "People",
  use: "Use",
  tenants: "Tenants",
  audit: "Audit log",
  "trace/no-such-id": "Trace",
  "replies/none?agent=mooring": "Deliveries of a reply",
  nowhere: "No such page",
};

describe("given the console on a phone, light and dark", () => {
  it("when axe checks each view, then it finds no problems, and nothing is wider than the screen", async () => {
    const tab = await open(undefined, "", { viewport: { width: 360, height: 780 } });
    const { page } = tab;
    const found: Record<string, string[]> = {};
    const look = async (name: string) => {
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      await page.emulateMedia({ colorScheme: "dark" });
      const inTheDark = await axeProblems(page, "color-contrast");
      await page.emulateMedia({ colorScheme: "light" });
      found[name] = [...inTheDark, ...(await axeProblems(page)), ...(width > 360 ? [`${width} wide`] : [])];
    };
    await page.getByLabel("Operator token").waitFor();
    await look("sign-in");
    await tab.signIn(PLATFORM_TOKEN);
    await tab.row(/^web/).waitFor();
    // One line of text has one box.
    const lines = await page.locator(".brand span").evaluate((name) => {
      const range = name.ownerDocument.createRange();
      range.selectNodeContents(name);
      return range.getClientRects().length;
    });
    expect(lines).toBe(1);
    for (const [view, heading] of Object.entries(VIEWS)) {
      await tab.turnTo(`/${view}`);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await page.locator("main").locator(".row, .empty, .failed").first().waitFor();
      await look(view);
    }
    await tab.turnTo("/sessions");
    await page.getByRole("list", { name: "Sessions" }).getByRole("link").first().click();
    await page.getByRole("list", { name: "Turns" }).getByRole("link").first().click();
    await page.locator(".moment").first().waitFor();
    await look("a trace");
    await tab.turnTo("/schedules");
    await page.getByRole("button", { name: "New schedule" }).click();
    await page.getByRole("dialog").waitFor();
    await look("a dialog");
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
  });
});

describe("given two gateways and a core on NATS", () => {
  it("when an operator uses one of them, then the channels, pauses and messages of the other are there as well", async () => {
    const nats = await NatsServer.start();
    const many = await ConsoleRig.start(nats.url);
    try {
      const [first, second] = await Promise.all(many.urls.map((url) => open(PLATFORM_TOKEN, "/channels/web", {}, url)));
      if (first === undefined || second === undefined) throw new Error("two gateways were started");
      // The tab keeps the token once the sign-in has succeeded; a reload before that would lose it.
      for (const { page } of [first, second]) await page.getByRole("navigation", { name: "Console" }).waitFor();
      await expect.poll(async () => (await many.ask("channels/web")).gateways.length).toBe(2);
      await first.page.reload();
      await first.page.getByRole("list", { name: "Gateways" }).locator(".row").nth(1).waitFor();
      await first.page.getByRole("button", { name: "Pause: web" }).click();
      await first.page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
      await first.page.getByRole("button", { name: "Resume: web" }).waitFor();
      await second.page.reload();
      await second.page.getByRole("button", { name: "Resume: web" }).click();
      await second.page.getByRole("button", { name: "Pause: web" }).waitFor();

      const visitor = many.visitor();
      await visitor.answerTo(visitor.say("research tides"));
      await second.goto("/subtasks");
      await second.titled("tides").getByRole("link").click();
      await second.page.getByRole("list", { name: "Subtasks" }).getByText("running").waitFor();
      many.gate.release();
      const answer = second.page.locator(".moment", { hasText: "Synthesis of all results" });
      await answer.getByRole("list", { name: "Deliveries" }).getByText("shown").waitFor();
    } finally {
      await many.stop();
      await nats.stop();
    }
  });
});
