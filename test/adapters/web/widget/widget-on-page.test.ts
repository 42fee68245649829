import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { hostToken, IDENTITY_KEY } from "../identity/host-jwt.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser();
const exp = Math.floor(Date.now() / 1_000) + 600;

const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(
    `getComputedStyle(document.querySelector("[data-mooring]").shadowRoot.querySelector("${selector}")).${property}`,
  );

describe("given a page that embeds the widget", () => {
  it("when it calls methods before the script has loaded, then they run in order; later ones run at once", async () => {
    const gateway = await start({ config: { identityKey: IDENTITY_KEY } });
    widget.site.gateway = gateway;
    const token = hostToken({ sub: "ada", name: "Ada", exp });
    await widget.page.addInitScript(`
      window.counts = [];
      window.mooring = (...call) => (mooring.q ??= []).push(call);
      mooring("on", "unread", (count) => counts.push(count));
      mooring("open");
      mooring("send", "hello from the page");
      mooring("identify", ${JSON.stringify(token)});
    `);
    await widget.page.goto(widget.site.url);
    const { account } = await widget.arrived(gateway, 1);
    expect(account).toMatchObject({ id: "ada", name: "Ada" });
    expect(gateway.accepted[0]?.text).toBe("hello from the page");
    await widget.page.locator(".said:not(.pending)").waitFor();
    await widget.page.evaluate('mooring("close")');
    await gateway.adapter.deliver(makeDelivery("ada", "r1", { reply: { markdown: "one **word**" } }));
    await expect.poll(() => widget.page.evaluate("counts")).toEqual([1]);
    await expect.poll(() => widget.page.title()).toBe("(1) Shop");
    await widget.page.locator(".preview", { hasText: "one word" }).click();
    await expect.poll(() => widget.page.evaluate("counts")).toEqual([1, 0]);
    expect(await widget.page.title()).toBe("Shop");
    await widget.page.evaluate('mooring("shutdown")');
    expect(await widget.page.locator("[data-mooring]").count()).toBe(0);
    expect(await widget.page.evaluate("Object.keys(localStorage)")).toEqual([]);
    await widget.page.evaluate('mooring("start"); mooring("open")');
    await widget.write("another person");
    expect((await widget.arrived(gateway, 2)).account.id).not.toBe("ada");
  });

  it("when it sets options, then the widget uses its target, language and direction", async () => {
    const gateway = await start();
    widget.site.gateway = gateway;
    widget.site.body = '<div id="here"></div>';
    widget.site.attributes =
      'data-target="#here" data-title="Hafen" data-locale="de" data-accent="#ffcc00" data-theme="dark" data-greeting="Ahoi"';
    await widget.page.goto(widget.site.url);
    const host = widget.page.locator("#here > [data-mooring=inline][data-theme=dark]");
    await host.getByRole("region", { name: "Hafen" }).waitFor();
    await host.getByText("Ahoi").waitFor();
    await host.getByLabel("Ihre Nachricht").fill("שלום");
    await host.getByRole("button", { name: "Senden" }).click();
    await host.locator(".said:not(.pending)").waitFor();
    expect(await styleOf(widget.page, ".said .bubble", "direction")).toBe("rtl");
    expect(await styleOf(widget.page, ".said .bubble", "color")).toBe("rgb(0, 0, 0)");
    expect(await widget.page.getByRole("button", { name: "Chat öffnen" }).count()).toBe(0);
  });

  it("when it is on a phone, then the chat fills the screen, and reduced motion is respected", async () => {
    const gateway = await start();
    const page = await widget.newPage({ viewport: { width: 360, height: 640 }, reducedMotion: "reduce" });
    await widget.open(gateway, page);
    const box = await page.getByRole("dialog").boundingBox();
    expect(box).toEqual({ x: 0, y: 0, width: 360, height: 640 });
    expect(await styleOf(page, ".panel", "animationName")).toBe("none");
  });

  it("when its origin is not allowed, then the browser's console tells the integrator which entry is missing, once", async () => {
    const gateway = await start({ publicUrl: "https://chat.example" });
    widget.site.gateway = gateway;
    const body = `<!doctype html><title>Other</title><body><script src="${widget.site.url}channels/web/widget.js"></script>`;
    const other = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(body));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close().closeAllConnections());
    const lines: string[] = [];
    widget.page.on("console", (line) => line.text().startsWith("mooring:") && lines.push(line.text()));
    let refusals = 0;
    widget.page.on("websocket", () => refusals++);
    await widget.page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    await expect.poll(() => refusals).toBeGreaterThan(2);
    const { origin } = gateway;
    expect(lines).toEqual([
      `mooring: the origin ${origin} is not allowed: add "${origin}" to channels.web.allowedOrigins of the gateway and restart it`,
    ]);
  });
});
