import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostToken, IDENTITY_KEY } from "../adapters/web/identity/host-jwt.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { launchChromium } from "../setup/launch-chromium.ts";
import { recordPageErrors } from "../setup/record-page-errors.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0";
const CODE = /[A-Z0-9]{5}-[A-Z0-9]{5}/;
const WORDS = /two words: ([a-z]+ [a-z]+)\./;

let browser: Browser;
beforeAll(async () => {
  await requireFreshBuild();
  browser = await launchChromium();
});
afterAll(() => browser.close());

const complaints: string[] = [];
const visit = async (address: string, userAgent?: string): Promise<Page> => {
  const context = await browser.newContext({ locale: "en-GB", ...(userAgent !== undefined && { userAgent }) });
  const page = recordPageErrors(await context.newPage(), complaints);
  await page.goto(address);
  return page;
};
const write = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel("Your message").fill(text);
  await page.keyboard.press("Enter");
};
const replies = (page: Page): Locator => page.locator(".log .reply");
const shownIn = async (page: Page, text: string | RegExp): Promise<string> => {
  const reply = replies(page).filter({ hasText: text }).last();
  await reply.waitFor();
  return (await reply.textContent()) ?? "";
};

describe.each(["embedded", "nats"] as const)(
  "given two browsers of one person on %s, not signed in (I1)",
  (backbone) => {
    let deployment: Deployment;
    let nats: NatsServer | undefined;
    let address: string;

    beforeAll(async () => {
      complaints.length = 0;
      nats = backbone === "nats" ? await NatsServer.start() : undefined;
      deployment = await Deployment.create(
        plainConfig({
          backbone: nats ? { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } } : "embedded",
          agents: [{ name: "mooring", model: { provider: "demo", workMs: 50 } }],
          channels: { web: { adapter: "web", identityKey: IDENTITY_KEY } },
        }),
      );
      if (nats) await deployment.run("core").running;
      address = await deployment.run(nats ? "gateway" : "start").running;
    });
    afterAll(async () => {
      await deployment.dispose();
      await nats?.stop();
      expect(complaints).toEqual([]);
    });

    it("when one enters the other's code, then both show the other's device and the same words; after both confirm, each sees the other's results", async () => {
      const [laptop, office] = [await visit(address), await visit(address, FIREFOX)];
      await write(laptop, "/link");
      const code = CODE.exec(await shownIn(laptop, "in another browser"))?.[0] ?? "no code";
      await write(office, `link ${code}`);
      const [atOffice, atLaptop] = [
        await shownIn(office, "asked for this code"),
        await shownIn(laptop, "has entered your code"),
      ];
      expect(atOffice).toContain("“Visitor” on web (Chrome on Linux)");
      expect(atLaptop).toContain("“Visitor” on web (Firefox on Windows)");
      expect(WORDS.exec(atOffice)?.[1]).toMatch(/^[a-z]+ [a-z]+$/);
      expect(WORDS.exec(atLaptop)?.[1]).toBe(WORDS.exec(atOffice)?.[1]);

      await office.getByRole("button", { name: "Link accounts" }).click();
      await shownIn(office, "Please confirm as “Visitor” on web (Chrome on Linux) too");
      await laptop.getByRole("button", { name: "Link accounts" }).click();
      await shownIn(laptop, "Linked with “Visitor” on web (Firefox on Windows)");
      await shownIn(office, "Linked with “Visitor” on web (Chrome on Linux)");

      await write(laptop, "research lighthouses, tides and knots");
      const anchored = office.locator(".reply", { has: office.locator(".anchor") });
      await anchored.getByText("Here is what my helpers found").waitFor();
      expect(await anchored.locator(".anchor").textContent()).toMatch(
        /research lighthouses, tides and knots.*from .*Web/,
      );
      await shownIn(laptop, "Here is what my helpers found");
      expect(await laptop.locator("#chat .anchor").count()).toBe(0);

      await write(office, "/unlink");
      await shownIn(office, "is no longer linked with “Visitor” on web (Chrome on Linux)");
      await shownIn(laptop, "“Visitor” on web (Firefox on Windows) is no longer linked with this account");
      for (const page of [laptop, office]) await page.context().close();
    });

    it("when a visitor is signed in, then a code of another browser does not work, and neither does one's own", async () => {
      const page = await visit(address, FIREFOX);
      await write(page, "/link");
      const code = CODE.exec(await shownIn(page, "in another browser"))?.[0] ?? "no code";
      const exp = Date.now() / 1_000 + 3_600;
      const [ann, bob] = ["ann", "bob"].map(
        (sub) => new WebClient(sub, () => address, "web", hostToken({ sub, exp, aud: "web" })),
      ) as [WebClient, WebClient];
      const says = async (client: WebClient, args?: string) =>
        (await client.answerTo(client.command("link", args))).markdown;
      expect(await says(ann, code)).toContain("This code is from this channel");
      const ofAnn = CODE.exec((await says(ann)) ?? "")?.[0] ?? "no code";
      expect(await says(bob, ofAnn)).toContain("This code is from this channel");
      await write(page, `/link ${ofAnn}`);
      await shownIn(page, "This code is from this channel");
      await write(page, `/link ${code}`);
      await shownIn(page, "You asked for this code here");
      await write(page, "/link 22222-22222");
      await shownIn(page, "I don't know this code");
      expect(await page.getByRole("button", { name: "Link accounts" }).count()).toBe(0);
      for (const client of [ann, bob]) client.close();
      await page.context().close();
    });
  },
);
