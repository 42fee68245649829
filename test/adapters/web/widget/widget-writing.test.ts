import { describe, expect, it } from "vitest";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser();

const commands = [
  { name: "help", description: "List the commands", privately: false },
  {
    name: "cancel",
    description: "Cancel running work",
    argument: { name: "id", description: "The id that status shows, answer, or all" },
    privately: false,
  },
  { name: "clear", description: "Clear it", privately: false },
];

describe("given a person who writes a slash command", () => {
  it("when they type, then matching commands are listed; keys choose one, and its argument is explained", async () => {
    const gateway = await start({ commands });
    await widget.open(gateway);
    const input = widget.page.getByLabel("Your message");
    await input.pressSequentially("/");
    const options = widget.page.getByRole("option");
    await expect.poll(() => options.count()).toBe(3);
    await input.pressSequentially("c");
    await expect.poll(() => options.allTextContents()).toEqual(["/cancel <id>Cancel running work", "/clearClear it"]);
    await input.press("ArrowDown");
    await expect.poll(() => options.nth(1).getAttribute("aria-selected")).toBe("true");
    expect(await input.getAttribute("aria-activedescendant")).toBe("command-1");
    await input.press("ArrowUp");
    await expect.poll(() => options.nth(0).getAttribute("aria-selected")).toBe("true");
    await input.press("Enter");
    await expect.poll(() => input.inputValue()).toBe("/cancel ");
    await widget.page.getByText("The id that status shows, answer, or all").waitFor();
    await input.pressSequentially("all");
    await input.press("Enter");
    expect(await widget.arrived(gateway, 1)).toMatchObject({ command: { name: "cancel", args: "all" } });
  });

  it("when they press Escape, then the menu closes and the chat stays open; Enter sends the whole name", async () => {
    const gateway = await start({ commands });
    await widget.open(gateway);
    const input = widget.page.getByLabel("Your message");
    await input.pressSequentially("/help");
    await widget.page.getByRole("option", { name: "/help" }).waitFor();
    await input.press("Escape");
    await widget.page.getByRole("option").waitFor({ state: "detached" });
    expect(await input.isVisible()).toBe(true);
    await input.press("Enter");
    expect(await widget.arrived(gateway, 1)).toMatchObject({ command: { name: "help", args: "" } });
  });
});

describe("given a person who has not sent their message", () => {
  it("when the tab closes and the page is opened in a new one, then the draft is there; once sent, it is gone", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.page.getByLabel("Your message").fill("half a thought");
    const { page } = widget;
    const next = widget.watch(await page.context().newPage());
    await page.close();
    await widget.open(gateway, next);
    expect(await next.getByLabel("Your message").inputValue()).toBe("half a thought");
    await next.getByLabel("Your message").press("Enter");
    await widget.arrived(gateway, 1);
    await widget.open(gateway, next);
    expect(await next.getByLabel("Your message").inputValue()).toBe("");
  });
});
