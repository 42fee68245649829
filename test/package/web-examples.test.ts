import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Product, type StartedProcess } from "../outside/product.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { projectRoot } from "../setup/project-files.ts";
import { recordPageErrors } from "../setup/record-page-errors.ts";
import { type Installation, PACK_TIMEOUT_MS, PackedMooring } from "./packed-mooring.ts";

const run = promisify(execFile);
const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };

/** A static server on loopback, as the guides of the examples start one. The gateway of the examples is another port. */
const serve = async (folder: string, gateway: () => string): Promise<{ server: Server; origin: string }> => {
  const server = createServer(({ url = "/" }, response) => {
    const file = url === "/" ? "index.html" : url.slice(1);
    if (TYPES[extname(file)] === undefined) {
      response.writeHead(204).end();
      return;
    }
    const text = readFileSync(join(folder, file), "utf8").replaceAll("http://localhost:8080", gateway());
    response.writeHead(200, { "content-type": TYPES[extname(file)] }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

let packed: PackedMooring;
let installed: Installation;
let browser: Browser;
beforeAll(async () => {
  packed = await PackedMooring.pack({ types: false });
  installed = await packed.install("site");
  await installed.link("react", "react-dom", "scheduler");
  for (const name of ["web-plain", "web-react"])
    cpSync(join(projectRoot, "examples", name), join(installed.folder, name), { recursive: true });
  browser = await launchChromium();
}, PACK_TIMEOUT_MS);
afterAll(async () => {
  await browser?.close();
  await packed?.dispose();
});

const troubles: string[] = [];
let site: { server: Server; origin: string };
let product: Product;
let started: StartedProcess;
afterEach(async () => {
  site.server.closeAllConnections();
  await new Promise((resolve) => site.server.close(resolve));
  await product.dispose();
  expect(troubles.splice(0)).toEqual([]);
});

/** The page of an example, with the product of the package as its gateway. */
const openExample = async (name: string): Promise<Page> => {
  let address = "";
  site = await serve(join(installed.folder, name), () => address);
  product = await Product.create({ backbone: "embedded", config: { agents: [{ name: "mooring", model: "demo" }] } });
  const web = { adapter: "web", allowedOrigins: [site.origin] };
  started = await product.start("start", { channels: { web } }, installed.main);
  await started.ready();
  ({ address } = started);
  const page = recordPageErrors(await browser.newPage(), troubles);
  await page.goto(site.origin);
  return page;
};

describe("given the example page without a build, on another origin than the gateway (C5, U5)", () => {
  it("when a visitor writes, attaches a file, rates and starts another conversation, then all of it works", async () => {
    const page = await openExample("web-plain");
    await page.getByText("open", { exact: true }).waitFor();
    await page.getByLabel("Your message").fill("hello there");
    await page.reload();
    await expect.poll(() => page.getByLabel("Your message").inputValue()).toBe("hello there");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator("li.final").waitFor();
    await page.getByRole("button", { name: "Good", exact: true }).click();
    await page.getByRole("button", { name: "Rated as good" }).waitFor();
    await page.getByRole("button", { name: "Answer again" }).click();
    await expect.poll(() => page.locator("li.final").count()).toBe(1);
    await page
      .getByLabel("Send a file")
      .setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
    await expect.poll(() => page.locator("#entries li.message").count()).toBe(2);
    await page.getByRole("button", { name: "New conversation" }).click();
    await expect.poll(() => page.locator("#entries li").count()).toBe(0);
    await page.getByLabel("Your message").fill("plan the trip");
    await page.keyboard.press("Enter");
    await page.locator("li.final").waitFor();
    await page.locator("option", { hasText: "plan the trip" }).waitFor({ state: "attached" });
    await page.locator("#conversations").selectOption("main");
    await page.locator("li.message", { hasText: "hello there" }).waitFor();
  });
});

describe("given the example in React, built with its own command (C5, U5)", () => {
  it("when a visitor writes, also while offline, then the answers appear", async () => {
    const folder = join(installed.folder, "web-react");
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const [, ...args] = String(scripts.build).split(" ");
    await run(join(projectRoot, "node_modules/esbuild/bin/esbuild"), [...args, "--log-level=warning"], { cwd: folder });
    const page = await openExample("web-react");
    await page.getByRole("heading", { name: "mooring" }).waitFor();
    await page.getByLabel("Your message").fill("hello there");
    await page.keyboard.press("Enter");
    await page.locator("li p").waitFor();
    await page.context().setOffline(true);
    await page.getByText("Offline: messages are sent later.").waitFor();
    await page.getByLabel("Your message").fill("written offline");
    await page.keyboard.press("Enter");
    await page.getByText("waiting to be sent").waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => page.locator("li p").count()).toBe(2);
    await page.getByRole("button", { name: "Good answer" }).first().click();
    await page.locator("button[aria-pressed=true]").waitFor();
  });
});

describe("given the script of the guide for Node (C5, U5)", () => {
  it("when it runs, then it prints the answer and ends", async () => {
    const page = await openExample("web-plain");
    const { address } = started;
    await page.close();
    await installed.link("ws");
    const guide = readFileSync(join(projectRoot, "docs/web-client.md"), "utf8");
    const code = /^## In Node\n[\s\S]*?```js\n([\s\S]*?)```/m.exec(guide)?.[1] ?? "";
    const ran = await installed.evaluate(code.replaceAll("http://localhost:8080", address));
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/demo/);
  });
});
