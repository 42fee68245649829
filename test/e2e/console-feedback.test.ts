import { describe, expect, it } from "vitest";
import type { LogItem } from "../fakes/web-client.ts";
import { expectUsable, tabTo } from "./console-checks.ts";
import { ACME_TOKEN, PLATFORM_TOKEN } from "./console-rig.ts";
import { consoleStage } from "./console-stage.ts";

const HOSTILE = '<img src=x onerror="alert(1)"> far too long';

describe.each(["embedded", "nats"] as const)("given ratings of answers, on the %s backbone", (backbone) => {
  const stage = consoleStage(backbone);
  const open = (token: string, path = "/feedback") => stage.open(token, path);

  const rated = async (channel: string, words: string, args: string): Promise<LogItem> => {
    const visitor = stage.rig.visitor(channel);
    const answer = await visitor.answerTo(visitor.say(words));
    const [rating, ...comment] = args.split(" ");
    await visitor.answerTo(visitor.command("feedback", [rating, answer.id, ...comment].join(" ")));
    return answer;
  };

  it("when there are none, then the page says how people leave them", async () => {
    const tab = await open(PLATFORM_TOKEN);
    await tab.page.getByText("No feedback.").waitFor();
    await expectUsable(tab);
  });

  it("when an operator opens Feedback, then comments and counts are shown, filters work, and the words need a reason (C5, R4)", async () => {
    await rated("web", "a private matter", `down ${HOSTILE}`);
    await rated("shop", "another matter", "up");
    await rated("acme", "of another tenant", "down not for others");
    const tab = await open(PLATFORM_TOKEN);
    const titles = () => tab.page.locator(".row").count();
    await expect.poll(titles).toBe(3);
    const row = tab.row("far too long");
    expect(await row.textContent()).toContain(HOSTILE);
    expect(await tab.page.locator("img[src=x]").count()).toBe(0);
    expect(await tab.page.textContent("body")).not.toContain("private matter");
    await expectUsable(tab);

    await tabTo(tab, "Helpful");
    await tab.page.keyboard.press("Enter");
    await expect.poll(titles).toBe(1);
    await tab.row("Without a comment.").waitFor();
    await tab.page.getByRole("link", { name: "All ratings" }).click();
    await tab.page.getByRole("navigation", { name: "Channel" }).getByRole("link", { name: "web", exact: true }).click();
    await expect.poll(titles).toBe(1);

    // The counts are stored every ten seconds.
    await expect
      .poll(async () => (await stage.rig.ask("feedback/counts")).total, { timeout: 30_000 })
      .toEqual({ up: 1, down: 2 });
    await tab.page.reload();
    await tab.page.getByRole("region", { name: "Not helpful" }).getByText("2", { exact: true }).waitFor();

    await tab.row("far too long").getByRole("link", { name: "Read the session" }).click();
    await tab.page.getByText("This conversation is private").waitFor();
    expect(await tab.page.textContent("body")).not.toContain("private matter");
  });

  it("when an operator of another tenant opens it, then they see their own only", async () => {
    const tab = await open(ACME_TOKEN);
    await tab.row("not for others").waitFor();
    expect(await tab.page.locator(".row").count()).toBe(1);
  });

  it("when the gateway refuses the request, then the page says why and offers a retry", async () => {
    const tab = await open(PLATFORM_TOKEN, "/feedback?rating=sideways");
    await tab.page.getByText("Correct your input and try again.").waitFor();
    await expectUsable(tab);
  });
});
