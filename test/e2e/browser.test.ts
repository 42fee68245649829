import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BackboneConfig } from "../../core/backbone/config.ts";
import { openBackbone } from "../../core/backbone/drivers.ts";
import { systemClock as clock } from "../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../core/contract/ports/logger.ts";
import { hostToken, IDENTITY_KEY } from "../adapters/web/identity/host-jwt.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { axeProblems } from "../setup/axe-problems.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { recordPageErrors } from "../setup/record-page-errors.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";
import { plantHistory } from "./plant-history.ts";

let browser: Browser;
beforeAll(async () => {
  await requireFreshBuild();
  browser = await launchChromium();
});
afterAll(() => browser.close());

const complaints: string[] = [];
const visit = async (address: string): Promise<Page> => {
  const page = recordPageErrors(await (await browser.newContext({ locale: "en-GB" })).newPage(), complaints);
  await page.goto(address);
  return page;
};

const write = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel("Your message").fill(text);
  await page.keyboard.press("Enter");
};
const CODE = /[A-Z0-9]{5}-[A-Z0-9]{5}/;
const replies = (page: Page): Locator => page.locator(".log .reply");

/** The themes differ in their colours only. */
const problemsInBothThemes = async (page: Page): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  const inTheDark = await axeProblems(page, "color-contrast");
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  return [...inTheDark, ...(await axeProblems(page))];
};

const REGULAR = "customer-7";
const HISTORY = 2_000;
const PAUSE_MS = 30;
const WORDS_OF_A_MINUTE = 60_000 / PAUSE_MS;
/** Subtasks that do not end during a test, so that even a slow machine can cancel them. */
const LONG_WORK_MS = 60_000;

/** A page of another site, whose policy allows only its own server and the gateway. At /regular it identifies its visitor. */
const startShop = async (): Promise<{ server: Server; origin: string; embed(script: string): void }> => {
  let script = "";
  const token = hostToken({ sub: REGULAR, exp: clock.now() / 1_000 + 3_600 });
  const server = createServer(({ url }, answer) => {
    const { origin, host } = new URL(script);
    const policy = `default-src 'none'; script-src ${origin}; connect-src ${origin} ws://${host}`;
    answer.writeHead(200, { "content-type": "text/html", "content-security-policy": policy });
    answer.end(`<!doctype html><html lang="en"><title>Shop</title><main><h1>A shop</h1></main>
      <script src="${script}" async ${url === "/regular" ? `data-token="${token}"` : ""}></script></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    server,
    origin,
    embed: (given) => {
      script = given;
    },
  };
};

describe.each(["embedded", "nats"] as const)("given Mooring on %s, in a browser", (backbone) => {
  let deployment: Deployment;
  let nats: NatsServer | undefined;
  let shop: Awaited<ReturnType<typeof startShop>>;
  let address: string;
  /** The messages of the identified visitor, the oldest first. */
  let keys: string[];

  beforeAll(async () => {
    complaints.length = 0;
    shop = await startShop();
    nats = backbone === "nats" ? await NatsServer.start() : undefined;
    const config = nats ? { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } } : "embedded";
    const shopChannel = { adapter: "web", allowedOrigins: [shop.origin], identityKey: IDENTITY_KEY };
    deployment = await Deployment.create(
      plainConfig({
        backbone: config,
        agents: [{ name: "mooring", model: { provider: "demo", pauseMs: PAUSE_MS, workMs: LONG_WORK_MS } }],
        channels: { web: { adapter: "web" }, shop: shopChannel },
      }),
    );
    const dataDir = join(deployment.folder, "data");
    const early = await openBackbone(BackboneConfig.parse(config), { dataDir, clock, logger });
    keys = await plantHistory(early.store, { channel: "shop", visitor: REGULAR, count: HISTORY });
    await early.close();
    if (nats) await deployment.run("core").running;
    address = await deployment.run(nats ? "gateway" : "start").running;
    shop.embed(`${address}/channels/shop/widget.js`);
  });
  afterAll(async () => {
    await deployment.dispose();
    await nats?.stop();
    shop.server.closeAllConnections();
    shop.server.close();
    expect(complaints).toEqual([]);
  });

  it("when a visitor uses the first page, then an answer streams, survives a reload, and can be stopped (C5)", async () => {
    const page = await visit(address);
    expect(await page.getByRole("heading", { name: "Mooring", level: 1 }).isVisible()).toBe(true);
    await page.getByRole("button", { name: "What can you do?" }).click();
    await replies(page).getByText("I am the demo model").waitFor();
    expect(await page.locator(".said").count()).toBe(1);
    expect(await replies(page).count()).toBe(1);

    await write(page, `say ${"a b c d e f g h ".repeat(WORDS_OF_A_MINUTE / 8)}`);
    await page.locator(".drafts .reply").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Stop the answer" }).click();
    await replies(page).locator("em", { hasText: "Stopped." }).waitFor();
    expect(await page.locator(".log > :not(.day)").count()).toBe(4);
    await page.context().close();
  });

  it("when axe checks the first page in light and dark, also with a hostile answer, then it finds no problems", async () => {
    const page = await visit(address);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await write(page, `say ![x](https://evil.example/?q=1) <img src=x onerror=alert(1)> [a](javascript:alert(1))`);
    await replies(page).getByText("<img src=x onerror=alert(1)>").waitFor();
    expect(await replies(page).locator("img, [onerror], a[href^=javascript]").count()).toBe(0);
    expect(requests.filter((url) => url.includes("evil"))).toEqual([]);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.context().close();
  });

  it("when a visitor with 2000 messages scrolls up, then older ones load page by page, in order, without duplicates", async () => {
    const page = await visit(`${shop.origin}/regular`);
    await page.getByRole("button", { name: "Open the chat" }).click();
    const entries = page.locator(".log > :not(.day)");
    await entries.last().getByText(`Answer ${HISTORY}.`).waitFor();
    expect(await entries.count()).toBeLessThan(HISTORY / 2);
    for (let known = await entries.count(); known < HISTORY; known = await entries.count()) {
      await page.getByRole("log").evaluate((node) => node.scrollTo(0, 0));
      await entries.nth(known).waitFor({ state: "attached" });
    }
    expect(await entries.evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-key")))).toEqual(keys);
    await page.context().close();
  });

  it("when the network is interrupted, then messages from the meantime arrive once, and are answered", async () => {
    const page = await visit(address);
    await write(page, "hello");
    await replies(page).first().waitFor();
    await page.context().setOffline(true);
    await page.getByRole("status").filter({ hasText: "Offline" }).waitFor();
    await write(page, "a boat tied to a buoy");
    await page.locator(".said.pending").waitFor();
    await page.context().setOffline(false);
    await replies(page).getByText('I understood: "a boat tied to a buoy"').waitFor();
    expect(await page.locator(".said", { hasText: "buoy" }).count()).toBe(1);
    expect(await replies(page).count()).toBe(2);
    await page.context().close();
  });

  it("when a person is linked on two sites, then results of one arrive on both, with an anchor; axe finds no problems (O8, O10, O13, D2)", async () => {
    const [home, other] = [await visit(address), await visit(shop.origin)];
    await other.getByRole("button", { name: "Open the chat" }).click();
    await write(home, "/link");
    const offered = await replies(home).filter({ hasText: CODE }).textContent();
    const code = CODE.exec(offered ?? "")?.[0] ?? "no code";
    await write(other, `/link ${code}`);
    await other.getByRole("button", { name: "Link accounts" }).click();
    await home.getByRole("button", { name: "Link accounts" }).click();
    await replies(home).getByText("Linked with").waitFor();

    await write(home, "research lighthouses, tides and knots");
    await home.getByRole("button", { name: /of 3 done/ }).click();
    for (const topic of ["knots", "tides", "lighthouses"]) {
      await home.getByRole("button", { name: `Cancel ${topic}` }).click();
      await home.locator(".activity li", { hasText: topic }).locator(".state", { hasText: "cancelled" }).waitFor();
    }
    const anchored = other.locator(".reply", { has: other.locator(".anchor") });
    await anchored.getByText("Here is what my helpers found").waitFor();
    expect(await anchored.locator(".anchor").textContent()).toMatch(
      /research lighthouses, tides and knots.*from .*Web/,
    );
    await replies(home).getByText("Here is what my helpers found").waitFor();
    expect(await home.locator("#chat .anchor").count()).toBe(0);
    expect(await other.locator(".activity").count()).toBe(0);
    await anchored.getByRole("button", { name: "Why?" }).click();
    await replies(other).getByText("What was asked").waitFor();
    expect(await home.locator(".activity li").first().isVisible()).toBe(true);
    for (const page of [home, other]) {
      expect(await problemsInBothThemes(page)).toEqual([]);
      await page.context().close();
    }
  });
});
