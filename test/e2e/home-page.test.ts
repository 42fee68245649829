import { type ChildProcess, spawn } from "node:child_process";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { NatsServer } from "../fakes/nats-server.ts";
import { Recorder } from "../fakes/recorder.ts";
import { freePort } from "../setup/free-port.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { recordPageErrors } from "../setup/record-page-errors.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { MAIN, requireFreshBuild } from "./mooring-process.ts";

let browser: Browser;
let deployment: Deployment;
let nats: NatsServer | undefined;
const terminals: Terminal[] = [];
const complaints: string[] = [];
beforeAll(async () => {
  await requireFreshBuild();
  browser = await launchChromium();
});
afterAll(() => browser.close());
afterEach(async () => {
  for (const terminal of terminals.splice(0)) terminal.close();
  await deployment.dispose();
  await nats?.stop();
  nats = undefined;
  expect(complaints.splice(0)).toEqual([]);
});

/** A program that a person runs in a terminal, in the folder of the deployment. */
class Terminal {
  readonly #child: ChildProcess;
  readonly #output = new Recorder<string>();

  /** `words`: the command line as the page spells it. */
  constructor(words: string) {
    const [program, ...args] = words.split(" ");
    if (program !== "mooring") throw new Error(`the page names an unknown program: ${words}`);
    const env = { PATH: process.env.PATH, HOME: deployment.folder, MOORING_CONFIG: "mooring.yaml" };
    // `script` gives it a terminal: with pipes, the program prints answers only.
    const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
    this.#child = spawn("script", ["-qec", command, "/dev/null"], { cwd: deployment.folder, env });
    this.#child.stdout?.on("data", (data) => this.#output.add(String(data)));
    terminals.push(this);
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** The first match in the output, once there is one. */
  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    await this.#output.until((all) => pattern.test(all.join("")));
    return pattern.exec(this.#output.items.join("")) as RegExpExecArray;
  }

  ended(): Promise<unknown> {
    return new Promise((resolve) => this.#child.once("close", resolve));
  }

  close(): void {
    this.#child.kill("SIGKILL");
  }
}

const start = async (backbone: "embedded" | "nats", changes: object = {}) => {
  nats = backbone === "nats" ? await NatsServer.start() : undefined;
  deployment = await Deployment.create(
    plainConfig({
      gateway: { host: "127.0.0.1", port: await freePort(), drainMs: 0 },
      backbone: nats ? { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } } : "embedded",
      // The channels and the agent of config/mooring.yaml.
      agents: [{ name: "mooring", model: "demo", rights: { anonymous: ["default", "schedule"] } }],
      channels: { web: { adapter: "web" }, cli: { adapter: "web" } },
      ...changes,
    }),
  );
  const mooring = deployment.run("start");
  return { address: await mooring.running, printed: mooring.stdout };
};

const visit = async (address: string): Promise<Page> => {
  const page = recordPageErrors(await (await browser.newContext({ locale: "en-GB" })).newPage(), complaints);
  await page.goto(address);
  return page;
};
const write = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel("Your message").fill(text);
  await page.keyboard.press("Enter");
};
const replies = (page: Page): Locator => page.locator(".log .reply");
const anchored = (page: Page): Locator => page.locator(".log .reply", { has: page.locator(".anchor") });

/** A step as the page prints it: its words, and those in code type. */
const stepOn = async (page: Page, number: number): Promise<{ text: string; code: string[] }> => {
  const step = page.locator("main ol > li").nth(number - 1);
  const text = ((await step.textContent()) ?? "").replace(/\s+/g, " ");
  return { text, code: await step.locator("code").allTextContents() };
};

describe.each(["embedded", "nats"] as const)("given the first page of Mooring on %s, in a browser (I1)", (backbone) => {
  it("when a person follows its three steps word by word, then each shows what it promises", async () => {
    const { address } = await start(backbone);
    const page = await visit(address);

    const work = await stepOn(page, 1);
    expect(work.text).toContain(
      "Ask it to research a few things. One entry shows the subtasks; open it to see or cancel each",
    );
    await page.getByRole("button", { name: "Research lighthouses, tides and knots" }).click();
    await page.locator(".activity .toggle").first().click();
    await page.locator(".activity li", { hasText: "tides" }).waitFor();
    await replies(page).getByText("Here is what my helpers found").waitFor();

    const reminder = await stepOn(page, 2);
    const [, seconds] = /Ask for a reminder in (\d+) seconds, then start a new conversation with the pencil/.exec(
      reminder.text,
    ) as RegExpExecArray;
    await write(page, `In ${seconds} seconds remind me to stretch`);
    await replies(page).getByText("stretch").first().waitFor();
    await page.getByRole("button", { name: "New conversation" }).click();
    await expect.poll(() => replies(page).count()).toBe(0);

    const channels = await stepOn(page, 3);
    const [link = "", chat = ""] = channels.code;
    expect(channels.text).toContain(
      "Write /link here. Send the command that you get in another browser, or on another channel",
    );
    await write(page, link);
    const offer = replies(page).filter({ hasText: "Your code is" }).last();
    await offer.waitFor();
    // The command that the person gets is the last one in code type.
    const command = (await offer.locator("code").allTextContents()).at(-1) ?? "";
    const terminal = new Terminal(chat);
    await terminal.shows(/You are talking to mooring/);
    terminal.write(command);
    const [, confirm = ""] = await terminal.shows(/`?(\/link confirm [0-9a-f]+)/);
    terminal.write(confirm);
    await terminal.shows(/Please confirm as “Visitor” on web/);
    await page.getByRole("button", { name: "Link accounts" }).click();
    await terminal.shows(/Linked with “Visitor” on web/);
    terminal.write("research harbours and cranes");
    const fromTerminal = anchored(page).filter({ hasText: "research harbours and cranes" });
    await fromTerminal.getByText("Here is what my helpers found").waitFor();
    expect(await fromTerminal.locator(".anchor").textContent()).toMatch(/from .*CLI/);

    // The other way that the step names.
    const other = await visit(address);
    await write(page, link);
    await expect.poll(() => replies(page).filter({ hasText: "Your code is" }).count()).toBe(2);
    const again = (await replies(page).filter({ hasText: "Your code is" }).last().locator("code").allTextContents()).at(
      -1,
    );
    await write(other, again ?? "");
    await other.getByRole("button", { name: "Link accounts" }).click();
    const questions = replies(page).filter({ hasText: "has entered your code" });
    await expect.poll(() => questions.count()).toBe(2);
    await questions.last().getByRole("button", { name: "Link accounts" }).click();
    // The question says "linked with" too.
    await replies(other)
      .getByText(/^Linked with/)
      .first()
      .waitFor();
    await write(other, "research anchors and ropes");
    await anchored(page).getByText("research anchors and ropes").waitFor();

    expect(reminder.text).toContain(
      "The reminder marks the list of conversations: in the first one it says where it comes from.",
    );
    await page.getByRole("button", { name: "Conversations, unread" }).click();
    await page.getByRole("button", { name: /^Main conversation/ }).click();
    const stretch = anchored(page).filter({ hasText: "scheduled" });
    await stretch.getByText("stretch").first().waitFor();
    expect(await stretch.locator(".anchor").textContent()).toMatch(/asked for .* from .*Web/);
    for (const tab of [page, other]) await tab.context().close();
  });

  it("when the window is low, then the whole chat is visible at once and while the person reads on", async () => {
    const { address } = await start(backbone);
    const page = await visit(address);
    await page.setViewportSize({ width: 1000, height: 640 });
    const whole = async () => {
      const { y = -1, height = 0 } = (await page.locator("#chat").boundingBox()) ?? {};
      return y >= 0 && y + height <= 640;
    };
    await page.getByLabel("Your message").waitFor();
    expect(await whole()).toBe(true);
    await page.mouse.wheel(0, 10_000);
    await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(0);
    expect(await whole()).toBe(true);
    await page.context().close();
  });

  it("when it is the page of a personal assistant, then its third step works with nothing to link", async () => {
    const { address, printed } = await start(backbone, { owner: { name: "Ada" } });
    const [oneTimeLink = address] = /http\S+#owner=\S+/.exec(printed()) ?? [];
    const page = await visit(oneTimeLink);
    const { text, code } = await stepOn(page, 3);
    expect(text).toContain(
      "Run mooring chat in a terminal and ask it to research a few things there, then leave it with /quit.",
    );
    const [chat = "", leave = ""] = code;
    const terminal = new Terminal(chat);
    await terminal.shows(/You are talking to mooring/);
    terminal.write("research lighthouses, tides and knots");
    await terminal.shows(/helpers are looking into it/);
    const ended = terminal.ended();
    terminal.write(leave);
    await ended;
    await anchored(page).getByText("Here is what my helpers found").waitFor();
    expect(await anchored(page).locator(".anchor").textContent()).toMatch(
      /research lighthouses, tides and knots.*from .*CLI/,
    );
    await page.context().close();
  });
});
