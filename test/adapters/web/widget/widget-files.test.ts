import { describe, expect, it } from "vitest";
import { opensFrom } from "../../../fakes/stored-contents.ts";
import { axeProblems } from "../../../setup/axe-problems.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser({ reducedMotion: "reduce" });

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const file = (name: string, mediaType: string, content: Uint8Array) => {
  const about = { name, mediaType, bytes: content.length };
  return { ...about, ref: { id: `file-${name.replace(/\W/g, "-")}`, ...about }, read: async () => content };
};
const chart = file("chart.png", "image/png", PICTURE);
const broken = file("broken.png", "image/png", Buffer.from("no picture"));
const report = file("report.csv", "text/csv", Buffer.from("a,b\n1,2\n"));
const contents = new Map(
  await Promise.all([chart, broken, report].map(async ({ ref, read }) => [ref.id, await read()] as const)),
);

describe("given a reply with files in the widget (M3)", () => {
  it("when it arrives, then pictures are thumbnails, other files are chips, and each can be downloaded", async () => {
    const gateway = await start({ openFile: opensFrom(contents) });
    const { page } = widget;
    widget.site.images = "blob:";
    const visitor = await widget.begin(gateway);
    const files = [chart, broken, report];
    await gateway.adapter.deliver(makeDelivery(visitor, "r1", { files, reply: { markdown: "Here is the chart." } }));
    await page.locator('.reply img[alt="chart.png"]').waitFor();
    await expect.poll(() => page.locator(".reply .file .name").allTextContents()).toEqual(["broken.png", "report.csv"]);
    const shown = page.locator(".reply .picture img");
    expect(await shown.getAttribute("alt")).toBe("chart.png");
    expect(await shown.getAttribute("src")).toMatch(/^blob:/);

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "report.csv" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("report.csv");
    expect(await axeProblems(page)).toEqual([]);
  });
});
