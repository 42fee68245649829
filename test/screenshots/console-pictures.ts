import type { Browser, BrowserContextOptions } from "playwright-core";
import { ConsoleRig, PLATFORM_TOKEN } from "../e2e/console-rig.ts";
import { ConsoleTab } from "../e2e/console-tab.ts";
import { teamsFaults } from "../fakes/teams/fault.ts";

const desktop = { viewport: { width: 1200, height: 780 } };
const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };

interface ConsoleView {
  readonly name: string;
  readonly path: string;
  readonly options?: BrowserContextOptions;
  readonly prepare?: (tab: ConsoleTab) => Promise<unknown>;
}

const openTrace = async ({ page }: ConsoleTab): Promise<void> => {
  await page.getByRole("link", { name: "tides", exact: true }).click();
  await page.getByText("live", { exact: true }).waitFor();
};

const views: readonly ConsoleView[] = [
  { name: "console-channels", path: "/channels" },
  { name: "console-trace", path: "/subtasks", prepare: openTrace },
  { name: "console-dead-letters", path: "/dead-letters" },
  { name: "console-dark", path: "/subtasks", options: { colorScheme: "dark" }, prepare: openTrace },
  { name: "console-phone", path: "/channels", options: phone },
];

/** The main views of the console, with work in progress and a refused delivery. */
export const takeConsolePictures = async (browser: Browser, folder: string, wanted = ""): Promise<void> => {
  const shown = views.filter(({ name }) => name.includes(wanted));
  if (shown.length === 0) return;
  const rig = await ConsoleRig.start();
  try {
    await liven(rig);
    for (const { name, path, options, prepare } of shown) {
      const tab = await ConsoleTab.open(browser, rig.url, { troubles: [], ...desktop, ...options });
      await tab.goto(path);
      await tab.signIn(PLATFORM_TOKEN);
      await tab.page.locator(".row").first().waitFor();
      await prepare?.(tab);
      await tab.page.screenshot({ path: `${folder}${name}.png` });
      await tab.close();
      console.log(name);
    }
  } finally {
    await rig.stop();
  }
};

const liven = async (rig: ConsoleRig): Promise<void> => {
  const visitor = rig.visitor();
  await visitor.answerTo(visitor.say("ask harbour how deep it is at the pier"));
  await visitor.answerTo(visitor.say("research lighthouses, tides and knots"));
  rig.teams.fault = teamsFaults.blocked;
  await rig.teams.say({ text: "When is high water today?" });
  await rig.teams.say({ text: "Remind me of the tide table", person: "ben" });
  // A gateway reports the state of a channel at once after an action of an operator.
  for (const channel of ["web", "teams"]) await rig.ask(`channels/${channel}/resume`, "POST");
  while ((await rig.ask("dead-letters")).items.length < 2) await new Promise((resolve) => setTimeout(resolve, 100));
};
