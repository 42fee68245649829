import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findTool } from "../setup/find-tool.mjs";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

let browser: Browser;
let deployment: Deployment;

beforeAll(async () => {
  await requireFreshBuild();
  const executablePath = findTool("chromium");
  if (executablePath === undefined) throw new Error("chromium is missing: node test/setup/ensure-tools.mjs");
  browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
});
afterAll(() => browser.close());
afterEach(() => deployment.dispose());

const complaintsOf = (page: Page): string[] => {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (line) => {
    if (line.type() === "error") complaints.push(line.text());
  });
  return complaints;
};

describe("given the first run, in a browser", () => {
  it("when somebody writes, then the answer streams in, and after a reload it is still there (C5)", async () => {
    deployment = await Deployment.create(
      plainConfig({ agents: [{ name: "mooring", model: { provider: "demo", pauseMs: 60 } }] }),
    );
    const address = await deployment.run("start").running;
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(address);
    expect(await page.getByRole("heading", { name: "Mooring" }).isVisible()).toBe(true);

    await page.getByRole("button", { name: "Open the chat" }).click();
    await page.getByLabel("Your message").fill("a boat tied to a buoy");
    await page.keyboard.press("Enter");
    const streamed = page.locator(".drafts .reply");
    await streamed.waitFor();
    expect(await streamed.textContent()).not.toContain("buoy");
    const answer = page.getByRole("log").getByText('I understood: "a boat tied to a buoy"');
    await answer.waitFor();

    await page.reload();
    await page.getByRole("button", { name: "Open the chat" }).click();
    await answer.waitFor();
    expect(await page.locator(".said").count()).toBe(1);
    expect(await page.locator(".log .reply").count()).toBe(1);
    expect(complaints).toEqual([]);
    await page.close();
  }, 60_000);

  it("when helpers work, then one entry shows it, one of them can be cancelled, and one answer comes (B1)", async () => {
    deployment = await Deployment.create(
      plainConfig({ agents: [{ name: "mooring", model: { provider: "demo", workMs: 1_000 } }] }),
    );
    const address = await deployment.run("start").running;
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(address);
    await page.getByRole("button", { name: "Open the chat" }).click();
    await page.getByLabel("Your message").fill("research lighthouses, tides and knots");
    await page.keyboard.press("Enter");

    const entry = page.getByRole("button", { name: /of 3 done/ });
    await entry.click();
    await page.getByRole("button", { name: "Cancel knots" }).click();
    const rows = page.locator(".activity").getByRole("listitem");
    await rows.filter({ hasText: "knots" }).locator(".state", { hasText: "cancelled" }).waitFor();
    await page.getByRole("button", { name: /3 of 3 done/ }).waitFor();
    await page.getByRole("log").getByText("Here is what my helpers found").waitFor();
    expect(await rows.locator(".state").allTextContents()).toEqual([
      expect.stringMatching(/^done · \d+ s$/),
      expect.stringMatching(/^done · \d+ s$/),
      expect.stringMatching(/^cancelled · \d+ s$/),
    ]);
    expect(await page.locator(".log > .activity").count()).toBe(1);
    // The announcement, the word on the cancelled one, and the answer.
    expect(await page.locator(".log > .reply").count()).toBe(3);
    expect(complaints).toEqual([]);
    await page.close();
  }, 60_000);
});
