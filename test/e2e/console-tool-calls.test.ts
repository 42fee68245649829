import { describe, expect, it } from "vitest";
import { expectUsable, tabTo } from "./console-checks.ts";
import { ACME_TOKEN, PLATFORM_TOKEN } from "./console-rig.ts";
import { consoleStage } from "./console-stage.ts";

describe.each(["embedded", "nats"] as const)("given agents that call tools, on the %s backbone", (backbone) => {
  const stage = consoleStage(backbone);

  it("when none has called one, then the page says so", async () => {
    const tab = await stage.open(PLATFORM_TOKEN, "/tool-calls");
    await tab.page.getByText("No tool calls.").waitFor();
    await expectUsable(tab);
  });

  it("when calls have ended, then each has its tool, outcome, duration and the id of the person, and no words (U3, R4)", async () => {
    const visitor = stage.rig.visitor();
    await visitor.answerTo(visitor.say("ask harbour a private question"));
    await visitor.answerTo(visitor.say("call a tool that does not exist"));
    // The list is stored every ten seconds.
    await expect
      .poll(async () => (await stage.rig.ask("tool-calls")).items.length, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(2);
    const tab = await stage.open(PLATFORM_TOKEN, "/tool-calls");
    const row = tab.row("send_message_to_agent");
    await row.getByText("done").waitFor();
    expect(await row.textContent()).toMatch(/Duration\d+ ms|Duration[\d.]+ s/);
    expect(await tab.page.textContent("body")).not.toContain("private question");
    await expectUsable(tab);

    await tabTo(tab, "Problems");
    await tab.page.keyboard.press("Enter");
    await tab.row("unknown tool").getByText("invalid").waitFor();
    await expect.poll(() => tab.row("send_message_to_agent").count()).toBe(0);
    await tab.page.getByRole("link", { name: "All calls" }).click();
    await tab.row("send_message_to_agent").getByRole("link", { name: "only this tool" }).click();
    await expect.poll(() => tab.row("unknown tool").count()).toBe(0);
    await tab.page.getByRole("link", { name: "Show all" }).click();
    await tab.row("unknown tool").waitFor();
    await tab.row("send_message_to_agent").getByRole("link", { name: "send_message_to_agent" }).click();
    await tab.page.getByRole("heading", { level: 1, name: /Trace/ }).waitFor();
  });

  it("when an operator of another tenant opens it, then they see nothing of it", async () => {
    const tab = await stage.open(ACME_TOKEN, "/tool-calls");
    await tab.page.getByText("No tool calls.").waitFor();
  });

  it("when the gateway refuses the request, then the page says why", async () => {
    const tab = await stage.open(PLATFORM_TOKEN, "/tool-calls?outcome=odd");
    await tab.page.getByText("Correct your input and try again.").waitFor();
  });
});
