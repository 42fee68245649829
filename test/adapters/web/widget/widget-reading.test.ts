import { describe, expect, it } from "vitest";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser({ permissions: ["clipboard-read", "clipboard-write"] });

const clipboard = () => widget.page.evaluate<string>("navigator.clipboard.readText()");
const DAY_MS = 24 * 3_600_000;
const atNoon = (daysAgo: number): string => {
  const day = new Date(Date.now() - daysAgo * DAY_MS);
  day.setHours(12, 34, 0, 0);
  return day.toISOString();
};

describe("given a person who reads answers in the widget", () => {
  it("when the highlighter arrives after they copied a block, then its button still says so", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    let arrive: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await widget.page.route("**/widget-more.js", async (route) => {
      await held;
      await route.continue();
    });
    const markdown = "```sh\nexport A=1\n```\n\n```sh\nls -l\n```";
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { reply: { markdown } }));
    const blocks = widget.page.locator(".reply .code");
    await blocks.first().hover();
    await blocks.first().getByRole("button", { name: "Copy the code" }).click();
    await blocks.first().getByText("Copied").waitFor();
    arrive();
    await blocks.first().locator("code span").first().waitFor();
    expect(await blocks.locator("button").allTextContents()).toEqual(["Copied", "Copy"]);
  });

  it("when they copy an answer, their message or a code block, then the clipboard has its source", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    const markdown = "**Run** this:\n\n```\nls -l | wc\n```";
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { reply: { markdown } }));
    const code = widget.page.locator(".reply .code");
    await code.hover();
    await code.getByRole("button", { name: "Copy the code" }).click();
    await code.getByText("Copied").waitFor();
    expect(await clipboard()).toBe("ls -l | wc");
    await widget.page.locator(".reply .meta").getByRole("button", { name: "Copy" }).click();
    await widget.page.locator(".reply .meta").getByRole("button", { name: "Copied" }).waitFor();
    expect(await clipboard()).toBe(markdown);
    await widget.page.locator(".said").hover();
    await widget.page.locator(".said .meta").getByRole("button", { name: "Copy" }).click();
    await widget.page.locator(".said .meta").getByRole("button", { name: "Copied" }).waitFor();
    expect(await clipboard()).toBe("hello");
  });

  it("when an answer has code of a known language, then it is highlighted, and the text is the same", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    const loaded: string[] = [];
    widget.page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
    const code = 'const n = 42; // it\'s "<b>"\nreturn `a $` + n;';
    await gateway.adapter.deliver(makeDelivery(visitor, "r0", { reply: { markdown: "no code" } }));
    await widget.page.locator(".reply", { hasText: "no code" }).waitFor();
    expect(loaded).not.toContain("/channels/web/widget-more.js");
    const markdown = `~~~ts\n${code}\n~~~\n\n~~~unknown\n+++ 1 "x"\n~~~`;
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { reply: { markdown } }));
    const blocks = widget.page.locator(".reply pre code");
    await blocks.first().locator(".hl-keyword").first().waitFor();
    expect(loaded).toContain("/channels/web/widget-more.js");
    const spans = await blocks
      .first()
      .locator("span")
      .evaluateAll((all) => all.map(({ className, textContent }) => [className, textContent]));
    expect(spans).toEqual([
      ["hl-keyword", "const"],
      ["hl-number", "42"],
      ["hl-comment", '// it\'s "<b>"'],
      ["hl-keyword", "return"],
      ["hl-string", "`a $`"],
    ]);
    await expect.poll(() => blocks.first().textContent()).toBe(code);
    await expect.poll(() => blocks.last().locator("span").count()).toBe(0);
  });

  it("when a table is wider than the chat, then it scrolls, and its words stay whole", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    const names = ["Harbour", "Nearest lighthouse", "Responsible administration", "Commissioning", "Characteristics"];
    const cells = ["Warnemünde", "Leuchtturm", "Wasserstraßenverwaltung", "Inbetriebnahme", "Kennungswiederkehr"];
    const markdown = [names, names.map(() => "---"), cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { reply: { markdown } }));
    const table = widget.page.locator(".reply table");
    await table.waitFor();
    const size = await table.evaluate((node) => ({
      scrolls: node.scrollWidth > node.clientWidth,
      lines: [...node.querySelectorAll("td")].map((cell) => {
        const range = cell.ownerDocument.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      }),
      overflows: node.getBoundingClientRect().right > (node.closest(".bubble")?.getBoundingClientRect().right ?? 0),
    }));
    expect(size).toEqual({ scrolls: true, lines: [1, 1, 1, 1, 1], overflows: false });
    await table.focus();
    await widget.page.keyboard.press("ArrowRight");
    await expect.poll(() => table.evaluate((node) => node.scrollLeft)).toBeGreaterThan(0);
  });

  it("when messages are of several days, then each day has a line, and each message its time", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    await widget.page.goto("about:blank");
    const times = [400, 3, 1, 1].map(atNoon);
    for (const [nth, createdAt] of times.entries())
      await gateway.adapter.deliver(makeDelivery(visitor, `r${nth}`, { reply: { createdAt } }));
    await widget.open(gateway);
    const days = widget.page.locator(".log .day");
    await expect.poll(() => days.count()).toBe(4);
    const texts = await days.allTextContents();
    expect(texts[0]).toBe("Today");
    expect(texts[1]).toMatch(/^\w+,? \d+ \w+ \d{4}$/);
    expect(texts[2]).toMatch(/^\w+,? \d+ \w+$/);
    expect(texts[3]).toBe("Yesterday");
    await expect.poll(() => widget.page.locator(".reply time").first().textContent()).toBe("12:34");
    await expect.poll(() => widget.page.locator(".reply time").first().isVisible()).toBe(true);
  });

  it("when the buttons of a message are shown on a narrow screen, then they are in one row beside its time", async () => {
    const gateway = await start();
    await widget.page.setViewportSize({ width: 360, height: 640 });
    const visitor = await widget.begin(gateway);
    await gateway.adapter.deliver(makeDelivery(visitor, "t-1/final"));
    for (const message of [".reply", ".said"]) {
      await widget.page.locator(message).waitFor();
      const parts = widget.page.locator(`${message} .meta`).locator("time, .tool");
      const middles = await parts.evaluateAll((nodes) =>
        nodes.map((node) => node.getBoundingClientRect()).map(({ top, bottom }) => Math.round((top + bottom) / 2)),
      );
      expect(middles.length).toBeGreaterThan(2);
      expect(Math.max(...middles) - Math.min(...middles)).toBeLessThanOrEqual(2);
    }
  });

  it("when they rate an answer, then the rating and a comment are sent, shown after a reload, and can be taken back", async () => {
    const gateway = await start();
    const visitor = await widget.begin(gateway);
    await gateway.adapter.deliver(makeDelivery(visitor, "t-1/final"));
    const good = widget.page.getByRole("button", { name: "Good answer" });
    const bad = widget.page.getByRole("button", { name: "Bad answer" });
    await widget.page.locator(".reply").hover();
    await bad.click();
    expect(await widget.arrived(gateway, 2)).toMatchObject({ command: { name: "feedback", args: "down t-1/final" } });
    await widget.page.getByLabel("What was wrong?").fill("too long");
    await widget.page.getByText("The operators read this.").waitFor();
    await widget.page.locator(".feedback").getByRole("button", { name: "Send" }).click();
    expect(await widget.arrived(gateway, 3)).toMatchObject({ command: { args: "down t-1/final too long" } });
    await widget.page.locator(".feedback").waitFor({ state: "detached" });
    const notice = { kind: "notice" as const, correlationId: gateway.accepted[2]?.id ?? "", markdown: "Thank you" };
    await gateway.adapter.deliver(makeDelivery(visitor, "n1", { reply: notice }));
    await widget.open(gateway);
    await expect.poll(() => bad.getAttribute("aria-pressed")).toBe("true");
    await expect.poll(() => widget.page.locator(".log > :not(.day)").count()).toBe(2);
    await bad.click();
    expect(await widget.arrived(gateway, 4)).toMatchObject({ command: { args: "none t-1/final" } });
    await expect.poll(() => bad.getAttribute("aria-pressed")).toBe("false");
    await good.click();
    expect(await widget.arrived(gateway, 5)).toMatchObject({ command: { args: "up t-1/final" } });
    await expect.poll(() => good.getAttribute("aria-pressed")).toBe("true");
  });
});
