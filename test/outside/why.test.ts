import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hostToken, IDENTITY_KEY } from "../adapters/web/identity/host-jwt.ts";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
let slack: FakeSlack;
beforeEach(async () => {
  slack = await FakeSlack.start();
});
afterEach(async () => {
  await product.dispose();
  await slack.stop();
});

const HOUR_MS = 3_600_000;
const at = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16);
const answered = async (client: WebClient, command: string, args?: string): Promise<string> =>
  (await client.answerTo(client.command(command, args))).markdown ?? "";

describe.each(["embedded", "nats"] as const)("given a person on the web and on Slack, on %s (O13)", (backbone) => {
  it("when Slack holds or refuses a result, then `why` says so to them, and to no other person", async () => {
    const { apiUrl, signingSecret, botToken } = slack;
    product = await Product.create({ backbone });
    const mooring = await product.start("start", {
      agents: [{ name: "mooring", model: { provider: "demo", workMs: 10 } }],
      people: [{ name: "Ann", accounts: { web: "ann", slack: "U0ANN" } }],
      channels: {
        web: { adapter: "web", identityKey: IDENTITY_KEY },
        slack: { adapter: "slack", botToken, apiUrl, signingSecret },
      },
    });
    await mooring.running;
    slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
    const signedIn = (sub: string) =>
      product.client(sub, mooring.address, hostToken({ sub, exp: (Date.now() + HOUR_MS) / 1_000 }));
    const [ann, bob] = [signedIn("ann"), signedIn("bob")];
    await slack.say({ text: "hello" });
    await slack.until((posts) => posts.length > 0);
    await answered(ann, "quiet", `${at(-2)}-${at(2)} UTC`);

    const results = () => ann.replies().filter(({ markdown }) => markdown?.includes("my helpers found"));
    const research = async (topics: string) => {
      const before = results().length;
      ann.say(`research ${topics}`);
      await ann.until(() => results().length > before, "the result where the work began");
    };
    await research("lighthouses and tides");
    await expect.poll(() => answered(ann, "why")).toMatch(/Not shown yet:\*\* Slack \(private\), held until \d/);
    const held = await answered(ann, "why");
    expect(held).toContain("**What was asked:** “research lighthouses and tides”");
    expect(held).toContain("**Shown in:** Web (where it began).");
    // A schedule has no conversation that shows it during quiet hours, so no message explains it.
    expect(await answered(bob, "why")).toContain("I found no message here");

    await answered(ann, "new");
    expect(await answered(ann, "why")).toMatch(
      /^\*\*Messages that have not reached you yet:\*\*\n- “research lighthouses and tides”, for Slack \(private\), held until \d/,
    );
    expect(await answered(bob, "why")).toContain("I found no message here");

    await answered(ann, "quiet", "off");
    const dm = slack.world.rooms.get("D0ANN");
    if (dm !== undefined) dm.archived = true;
    await research("knots and sails");
    await expect
      .poll(() => answered(ann, "why"))
      .toContain("Slack (private), not delivered: the conversation no longer");
    const failed = await answered(ann, "why");
    expect(failed).toContain("“research knots and sails”");
    expect(failed).toContain("- “research lighthouses and tides”, for Slack (private), held until");
    expect(failed).toContain("see `/inbox`");
    expect(await answered(bob, "why")).toContain("I found no message here");
  });
});
