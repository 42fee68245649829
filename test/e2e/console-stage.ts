import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Store } from "../../core/contract/ports/store.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { ConsoleRig } from "./console-rig.ts";
import { ConsoleTab } from "./console-tab.ts";
import { requireFreshBuild } from "./mooring-process.ts";

interface ConsoleStage {
  readonly rig: ConsoleRig;
  open(token: string, path: string): Promise<ConsoleTab>;
}

/** The product and a browser for the tests of one `describe`. Tabs are closed after each test, without page errors. */
export const consoleStage = (
  backbone: "embedded" | "nats" = "embedded",
  plant?: (store: Store) => Promise<void>,
): ConsoleStage => {
  let browser: Browser | undefined;
  let nats: NatsServer | undefined;
  let rig: ConsoleRig | undefined;
  const troubles: string[] = [];
  const tabs: ConsoleTab[] = [];
  const started = (): { browser: Browser; rig: ConsoleRig } => {
    if (browser === undefined || rig === undefined) throw new Error("the stage has not started");
    return { browser, rig };
  };
  beforeAll(async () => {
    await requireFreshBuild();
    nats = backbone === "nats" ? await NatsServer.start() : undefined;
    [browser, rig] = await Promise.all([launchChromium(), ConsoleRig.start(nats?.url, plant)]);
  });
  afterEach(async () => {
    await Promise.all(tabs.splice(0).map((tab) => tab.close()));
    expect(troubles.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await rig?.stop();
    await nats?.stop();
  });
  return {
    get rig() {
      return started().rig;
    },
    async open(token, path) {
      const tab = await ConsoleTab.open(started().browser, started().rig.url, { troubles });
      tabs.push(tab);
      await tab.goto(path);
      await tab.signIn(token);
      return tab;
    },
  };
};
