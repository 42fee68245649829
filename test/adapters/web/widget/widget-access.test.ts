import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { axeProblems } from "../../../setup/axe-problems.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import type { WebGateway } from "../web-gateway.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser({ reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"] });

const commands = [
  { name: "help", description: "List the commands", privately: false },
  {
    name: "cancel",
    description: "Cancel running work",
    argument: { name: "id", description: "The id of the work" },
    privately: false,
  },
];
const markdown = [
  "| Harbour | Lighthouse | Administration |\n|---|---|---|\n| Warnemünde | Leuchtturm | Wasserstraßenverwaltung |",
  '```ts\nconst tide = await fetch("/tides/of/a/harbour/with/a/long/name", { retries: 3 }); // high water\n```',
].join("\n\n");

/** A message, its revision, and an answer with a table and code. */
const revised = async (attributes: string, page: Page = widget.page): Promise<WebGateway> => {
  const gateway = await start({ commands });
  widget.site.attributes = attributes;
  await widget.open(gateway, page);
  await widget.write("high water?", page);
  const { conversation } = await widget.arrived(gateway, 1);
  const answer = async (nth: number) => {
    const correlationId = gateway.accepted[nth - 1]?.id ?? "";
    const reply = { correlationId, markdown, createdAt: new Date().toISOString() };
    await gateway.adapter.deliver(makeDelivery(conversation.room, `t-${nth}/final`, { reply }));
    await page.locator(".log .hl-keyword").first().waitFor();
  };
  await answer(1);
  await page.getByLabel("Your message").press("ArrowUp");
  await widget.write("high water tomorrow?", page);
  await widget.arrived(gateway, 2);
  await answer(2);
  return gateway;
};

/** Runs in the browser: elements of the chat that leave the screen sideways, outside of elements that scroll. */
const OVERFLOWING = `[...document.querySelector("[data-mooring]").shadowRoot.querySelectorAll(".panel *")]
  .filter((node) => !node.closest("pre, table, .sr, svg, [hidden]") || node.matches("pre, table"))
  .filter((node) => {
    const { left, right, width } = node.getBoundingClientRect();
    return width > 0 && (left < -1 || right > innerWidth + 1);
  })
  .map((node) => node.localName + "." + node.className)`;

describe.each(["light", "dark"] as const)("given a conversation with versions in %s colours", (theme) => {
  it("when axe checks the menu, an edit, a rating and an earlier version, then it finds no violation", async () => {
    await revised(`data-theme="${theme}"`);
    const { page } = widget;
    const input = page.getByLabel("Your message");
    const found: Record<string, string[]> = { versions: await axeProblems(page) };
    await input.fill("/");
    await page.getByRole("option").first().waitFor();
    found.menu = await axeProblems(page);
    await input.fill("/cancel ");
    await page.getByText("The id of the work").waitFor();
    found.argument = await axeProblems(page);
    await input.fill("");
    await input.press("ArrowUp");
    await page.getByText("Editing replaces").waitFor();
    found.editing = await axeProblems(page);
    await input.press("Escape");
    await page.getByRole("button", { name: "Bad answer" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("What was wrong?").waitFor();
    found.rating = await axeProblems(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Earlier version" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("This is an earlier version.").waitFor();
    found.earlier = await axeProblems(page);
    expect(found).toEqual({ versions: [], menu: [], argument: [], editing: [], rating: [], earlier: [] });
  });
});

describe("given a small, zoomed or right-to-left screen", () => {
  it.each([
    ["360 pixels wide", { width: 360, height: 640 }, ""],
    ["zoomed to 200 %, which halves the pixels of the page", { width: 640, height: 360 }, ""],
    ["360 pixels wide and right-to-left", { width: 360, height: 640 }, "rtl"],
  ])("when it is %s, then nothing leaves the screen, and the buttons can be reached", async (_, viewport, dir) => {
    await widget.page.setViewportSize(viewport);
    await widget.page.addInitScript(`document.addEventListener("DOMContentLoaded", () => {
      document.documentElement.dir = ${JSON.stringify(dir)};
    })`);
    await revised("");
    expect(await widget.page.evaluate(OVERFLOWING)).toEqual([]);
    await widget.page.getByLabel("Your message").fill("/");
    await widget.page.getByRole("option").first().waitFor();
    expect(await widget.page.evaluate(OVERFLOWING)).toEqual([]);
    for (const name of ["Answer again", "Good answer", "Earlier version", "Send"]) {
      await widget.page.getByRole("button", { name }).click({ trial: true });
    }
    expect(await axeProblems(widget.page)).toEqual([]);
  });
});

describe("given a person with a keyboard or a screen reader", () => {
  it("when they use Tab and Enter only, then they can copy, edit and rate, and the names say what each button does", async () => {
    const gateway = await revised("");
    const { page } = widget;
    const focused = () =>
      page.evaluate<string>(
        'document.querySelector("[data-mooring]").shadowRoot.activeElement?.getAttribute("aria-label") ?? ""',
      );
    await page.getByRole("log").focus();
    const reached: string[] = [];
    for (let tabs = 0; tabs < 20 && reached.at(-1) !== "Your message"; tabs++) {
      await page.keyboard.press("Tab");
      reached.push(await focused());
    }
    const named = ["Copy", "Edit", "Earlier version", "Copy the code", "Reply", "Copy", "Answer again", "Good answer"];
    expect(reached.filter((name) => name !== "")).toEqual([...named, "Bad answer", "Attach files", "Your message"]);
    await page.getByRole("button", { name: "Good answer" }).focus();
    await page.keyboard.press("Enter");
    expect(await widget.arrived(gateway, 3)).toMatchObject({ command: { args: "up t-2/final" } });
    const tree = () => page.locator("body").ariaSnapshot();
    await expect.poll(tree).toContain('button "Good answer" [pressed]');
    expect(await tree()).toContain("Version 2 of 2");
    expect(await tree()).toContain('log "Messages"');
  });

  it("when motion is reduced, then nothing in the chat moves", async () => {
    await revised("");
    const moving = await widget.page.evaluate(
      `[...document.querySelector("[data-mooring]").shadowRoot.querySelectorAll("*")]
        .filter((node) => {
          const { animationName, transitionDuration } = getComputedStyle(node);
          return animationName !== "none" || transitionDuration.split(", ").some((text) => parseFloat(text) > 0);
        }).length`,
    );
    expect(moving).toBe(0);
  });
});

describe("given a page that sets variables of the widget", () => {
  it.each(["light", "dark"])("when the theme is %s, then the chat has its colours, font and size", async (theme) => {
    const page = await widget.newPage({ reducedMotion: "reduce", bypassCSP: true });
    widget.site.body = `<style>[data-mooring] { --mooring-paper: rgb(1, 2, 3); --mooring-ink: rgb(250, 251, 252);
      --mooring-font: "Courier New"; --mooring-width: 333px; --mooring-radius: 3px; }</style>`;
    await revised(`data-theme="${theme}"`, page);
    const style = await page.evaluate(`(() => {
      const { backgroundColor, color, fontFamily, width, borderRadius } = getComputedStyle(
        document.querySelector("[data-mooring]").shadowRoot.querySelector(".panel"));
      return { backgroundColor, color, font: fontFamily.split(",")[0], width, borderRadius };
    })()`);
    expect(style).toEqual({
      backgroundColor: "rgb(1, 2, 3)",
      color: "rgb(250, 251, 252)",
      font: '"Courier New"',
      width: "333px",
      borderRadius: "3px",
    });
  });
});
