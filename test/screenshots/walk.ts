import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { ConsoleTab } from "../e2e/console-tab.ts";
import { Deployment, plainConfig } from "../e2e/deployment.ts";
import { projectRoot } from "../setup/project-files.ts";
import { smallPng } from "./small-png.ts";
import { terminalPage } from "./terminal-page.ts";

const CHAT = { width: 1000, height: 640 };
const TALL_CHAT = { ...CHAT, height: 820 };
const CONSOLE = { width: 1200, height: 640 };

/** A tool that asks a person first. The model of the walk has fixed rules, so the tool needs no real harbour. */
const BERTHS = {
  tools: [
    {
      name: "book_berth",
      description: "Books a berth for tonight.",
      inputSchema: { type: "object", properties: { harbour: { type: "string" } }, required: ["harbour"] },
    },
  ],
};

/** The configuration of the quick tour with its tool, and with one that asks first. */
const config = plainConfig({
  logLevel: "debug",
  agents: [
    {
      name: "mooring",
      model: "demo",
      mcpServers: {
        harbour: { command: "node", args: ["examples/mcp/harbour.mjs"], trusted: true },
        berths: { command: "node", args: ["berths.mjs", JSON.stringify(BERTHS)], approval: "ask" },
      },
      rights: { anonymous: ["default", "schedule", "confirm", "tool:harbour__*", "tool:berths__*"] },
    },
  ],
  channels: { web: { adapter: "web" }, cli: { adapter: "web" } },
});

/** Takes the pictures of the quick tour, in its order, from the built product. */
export const takeWalk = async (
  browser: Browser,
  folder: string,
  colorScheme: "light" | "dark" = "light",
): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const deployment = await Deployment.create(config);
  const shoot: Shoot = async (name, page, part) => {
    await page.mouse.move(0, 0);
    await page.locator(":focus:not(.feedback textarea)").evaluateAll((all) => all.map((each) => each.blur()));
    await page.evaluate("document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 300)))");
    await writeFile(join(folder, `${name}.png`), smallPng(await (part ?? page).screenshot()));
    console.log(`walk/${name}`);
  };
  const options = { viewport: CHAT, locale: "en-GB", timezoneId: "UTC", colorScheme, reducedMotion: "reduce" } as const;
  try {
    await mkdir(join(deployment.folder, "examples/mcp"), { recursive: true });
    await copyFile(`${projectRoot}examples/mcp/harbour.mjs`, join(deployment.folder, "examples/mcp/harbour.mjs"));
    await copyFile(`${projectRoot}test/fakes/mcp/server.mjs`, join(deployment.folder, "berths.mjs"));
    const mooring = deployment.run("start");
    const address = await mooring.running;
    const port = new URL(address).port;
    const context = await browser.newContext(options);
    await walkTerminal(await context.newPage(), mooring.stdout().replaceAll(port, "8080"), shoot);
    await walkChat(await context.newPage(), address, shoot);
    const token = (await readFile(join(deployment.folder, "data/admin-token"), "utf8")).trim();
    await walkConsole(browser, { address, token, options }, shoot);
    await context.close();
  } finally {
    await deployment.dispose();
  }
};

/** Takes a picture of the page, or of a part of it. */
type Shoot = (name: string, page: Page, part?: Locator) => Promise<void>;

const walkTerminal = async (page: Page, output: string, shoot: Shoot): Promise<void> => {
  await page.setViewportSize({ width: 760, height: 274 });
  await page.setContent(terminalPage("npm start", output));
  await shoot("01-start", page);
  await page.close();
};

/** The chat of one visitor on the first page. */
const walkChat = async (page: Page, address: string, shoot: Shoot): Promise<void> => {
  const panel = page.locator(".panel");
  const answers = page.locator(".log .reply");
  const write = async (text: string) => {
    await page.getByLabel("Your message").fill(text);
    await page.keyboard.press("Enter");
  };
  await page.goto(address);
  await page.getByRole("button", { name: "Research" }).waitFor();
  await shoot("02-first-page", page);

  await write("When is the next tide in Kiel?");
  await answers.getByText("The next high tide in Kiel").waitFor();
  await shoot("03-tool", page, panel);

  await write("Research lighthouses, tides and knots");
  const toggle = page.locator(".activity .toggle").first();
  await toggle.click();
  await page.locator(".activity li", { hasText: "reading" }).first().waitFor();
  await shoot("04-delegation", page, panel);
  await answers.getByText("Here is what my helpers found").waitFor();

  await write("In 3 seconds tell me to stretch");
  await answers.getByText("Scheduled as").waitFor();
  await page.getByRole("button", { name: "New conversation" }).click();
  await write("Book a berth in Kiel");
  await answers.getByText("A person must approve").waitFor();
  const list = page.getByRole("button", { name: "Conversations, unread" });
  await list.waitFor();
  await page.setViewportSize(TALL_CHAT);
  await shoot("07-approval", page, panel);
  await page.setViewportSize(CHAT);

  await list.click();
  const first = page.getByRole("button", { name: /^Main conversation/ });
  await first.waitFor();
  await shoot("05-conversations", page, panel);

  await first.click();
  await page.getByRole("button", { name: "Why?" }).last().click();
  await answers.getByText("Why now").waitFor();
  await page.setViewportSize(TALL_CHAT);
  await shoot("06-why", page, panel);
  await page.setViewportSize(CHAT);

  await write("When is the next tide in Husum?");
  const answer = answers.filter({ hasText: "The next high tide in Husum" }).last();
  await answer.hover();
  await answer.getByRole("button", { name: "Bad answer" }).click();
  await page.getByLabel("What was wrong? (optional)").fill("Please give me the local time.");
  await shoot("08-feedback", page, panel);
  const form = page.locator(".feedback");
  await form.getByRole("button", { name: "Send" }).click();
  await form.waitFor({ state: "detached" });
};

interface Operator {
  readonly address: string;
  readonly token: string;
  readonly options: BrowserContextOptions;
}

/** The same work as an operator sees it. */
const walkConsole = async (browser: Browser, { address, token, options }: Operator, shoot: Shoot): Promise<void> => {
  const tab = await ConsoleTab.open(browser, address, { troubles: [], ...options, viewport: CONSOLE });
  const { page } = tab;
  await tab.goto("/subtasks");
  await tab.signIn(token);
  await page.getByRole("link", { name: "Last seven days" }).click();
  await page.getByRole("link", { name: "tides", exact: true }).click();
  await page.getByText("Received", { exact: true }).waitFor();
  await shoot("10-trace", page);

  await tab.show("Sessions");
  await page.getByRole("list", { name: "Sessions" }).getByRole("link").first().click();
  await page.getByRole("link", { name: "Transcript and takeover" }).click();
  await page.getByLabel("Reason").fill("The visitor asked for a person");
  await page.getByLabel("Your name").fill("Ann");
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("Taken over by").waitFor();
  await page.getByLabel("Your answer").fill("In winter, add one hour to get the local time in Husum.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".said.operator", { hasText: "local time" }).waitFor();
  await page.locator(".notice").getByRole("button", { name: "Close" }).click();
  await shoot("11-takeover", page);

  await tab.show("Tool calls");
  // Calls are listed within ten seconds, and the page refreshes itself.
  await tab.row("harbour__next_tide").nth(1).waitFor();
  await shoot("12-tool-calls", page);

  await tab.show("Settings");
  await page.getByRole("link", { name: "Without a restart" }).click();
  await page.locator(".row").getByRole("button", { name: "Change" }).first().waitFor();
  await shoot("13-settings", page);

  await tab.turnTo("/channel-log/web");
  await page.locator(".log li").first().waitFor();
  await shoot("14-live-log", page);

  await tab.show("Overview");
  // Counts are stored every ten seconds, and the page refreshes itself.
  const messages = page.getByRole("region", { name: "Messages" });
  await messages.getByText(/^[5-9]$/).waitFor();
  await shoot("09-overview", page);
  await tab.close();
};
