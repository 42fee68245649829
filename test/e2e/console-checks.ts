import { expect } from "vitest";
import { axeProblems } from "../setup/axe-problems.ts";
import type { ConsoleTab } from "./console-tab.ts";

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 800 };

/** No accessibility problems in either theme, and nothing that a phone must scroll sideways for. */
export const expectUsable = async ({ page }: ConsoleTab): Promise<void> => {
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await axeProblems(page, "color-contrast")).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  expect(await axeProblems(page)).toEqual([]);
  await page.setViewportSize(PHONE);
  const widths = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  expect(widths[0]).toBeLessThanOrEqual(widths[1]);
  expect(await axeProblems(page)).toEqual([]);
  await page.setViewportSize(DESKTOP);
};

/** Presses Tab until the element with this accessible name has the focus. */
export const tabTo = async ({ page }: ConsoleTab, name: string, maxPresses = 80): Promise<void> => {
  for (let press = 0; press < maxPresses; press++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<string>(
      "(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()",
    );
    if (focused === name) return;
  }
  throw new Error(`Tab does not reach "${name}"`);
};
