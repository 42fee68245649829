import { writeFile } from "node:fs/promises";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { ConsoleRig, PLATFORM_TOKEN } from "../e2e/console-rig.ts";
import { ConsoleTab } from "../e2e/console-tab.ts";
import { teamsFaults } from "../fakes/teams/fault.ts";
import { smallPng } from "./small-png.ts";

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

/** Views that the documentation does not show, for changes of the styles: `npm run images -- page- FOLDER`. */
const PAGES = ["feedback", "tool-calls", "schedules", "channel-log/web", "settings", "use", "budgets", "approvals"];
const furtherViews: readonly ConsoleView[] = PAGES.flatMap((page) => {
  const [name] = page.split("/");
  const path = `/${page}`;
  return [
    { name: `page-${name}-light`, path },
    { name: `page-${name}-dark`, path, options: { colorScheme: "dark" as const } },
    { name: `page-${name}-phone`, path, options: phone },
  ];
});

/** The main views of the console, with work in progress and a refused delivery. */
export const takeConsolePictures = async (browser: Browser, folder: string, wanted = ""): Promise<void> => {
  const shown = (wanted === "" ? views : [...views, ...furtherViews]).filter(({ name }) => name.includes(wanted));
  if (shown.length === 0) return;
  const rig = await ConsoleRig.start();
  try {
    await liven(rig);
    for (const { name, path, options, prepare } of shown) {
      const tab = await ConsoleTab.open(browser, rig.url, { troubles: [], ...desktop, ...options });
      await tab.goto(path);
      await tab.signIn(PLATFORM_TOKEN);
      await tab.page.locator(".row, .log li, .empty").first().waitFor();
      await prepare?.(tab);
      await writeFile(`${folder}${name}.png`, smallPng(await tab.page.screenshot()));
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
  const rated = await visitor.answerTo(visitor.say("When is high water?"));
  await visitor.answerTo(visitor.command("feedback", `down ${rated.id} It does not say which day.`));
  const thanked = await visitor.answerTo(visitor.say("And low water?"));
  await visitor.answerTo(visitor.command("feedback", `up ${thanked.id}`));
  await visitor.answerTo(visitor.say("call a tool that does not exist"));
  const deliverTo = { channel: "web", room: "lobby" };
  const tides = { agent: "mooring", description: "Tide table", prompt: "tides", when: "0 7 * * *", deliverTo };
  await rig.post("schedules", { ...tides, timeZone: "Asia/Tokyo" });
  const { ref } = await rig.post("schedules", { ...tides, description: "Weekly report", timeZone: "Europe/Berlin" });
  await rig.post(`schedules/${ref}/pause`, {});
  rig.teams.fault = teamsFaults.blocked;
  await rig.teams.say({ text: "When is high water today?" });
  await rig.teams.say({ text: "Remind me of the tide table", person: "ben" });
  // A gateway reports the state of a channel at once after an action of an operator.
  for (const channel of ["web", "teams"]) await rig.ask(`channels/${channel}/resume`, "POST");
  while ((await rig.ask("tool-calls")).items.length === 0) await new Promise((resolve) => setTimeout(resolve, 500));
  while ((await rig.ask("dead-letters")).items.length < 2) await new Promise((resolve) => setTimeout(resolve, 100));
};
