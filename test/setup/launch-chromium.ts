import { type Browser, chromium } from "playwright-core";
import { findTool } from "./find-tool.mjs";

/** The machine's own browser, without the parts of it that are for a screen if it has such a build. */
export const launchChromium = async (): Promise<Browser> => {
  const executablePath = findTool("chromium-headless-shell") ?? findTool("chromium");
  if (executablePath === undefined) throw new Error("chromium is missing: node test/setup/ensure-tools.mjs");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
};
