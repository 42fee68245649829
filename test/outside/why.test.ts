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

/** Ann uses the web and Slack; Bob uses only the web. */
const start = async (backbone: "embedded" | "nats") => {
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
  return { ann: signedIn("ann"), bob: signedIn("bob") };
};

const sayOnSlack = async (thread?: string): Promise<void> => {
  const before = slack.posted.length;
  await slack.say({ text: "hello", ...(thread !== undefined && { thread }) });
  await slack.until((posts) => posts.length > before);
};

const research = async (client: WebClient, topics: string): Promise<void> => {
  const results = () => client.replies().filter(({ markdown }) => markdown?.includes("my helpers found"));
  const before = results().length;
  client.say(`research ${topics}`);
  await client.until(() => results().length > before, "the result where the work began");
};

describe.each(["embedded", "nats"] as const)("given a person on the web and on Slack, on %s (O13)", (backbone) => {
  it("when Slack holds a result for one thread and they write in another, then `why` and `status` still list it (D2, I3)", async () => {
    const { ann, bob } = await start(backbone);
    await sayOnSlack("1700000000.000100");
    await answered(ann, "quiet", `${at(-2)}-${at(2)} UTC`);
    await research(ann, "lighthouses and tides");
    const waits = /- 1 message waits for you on Slack, until \d/;
    await expect.poll(() => answered(ann, "status")).toMatch(waits);
    for (const thread of ["1700000000.000200", undefined]) {
      await sayOnSlack(thread);
      expect(await answered(ann, "status")).toMatch(waits);
      expect(await answered(ann, "why")).toMatch(/Not shown yet:\*\* Slack \(private\), held until \d/);
    }
    await answered(ann, "new");
    expect(await answered(ann, "why")).toMatch(
      /- “research lighthouses and tides”, for Slack \(private\), held until \d/,
    );
    expect(await answered(bob, "status")).toContain("no messages are waiting");

    // Another result goes to the room itself, where she wrote last.
    await research(ann, "knots and sails");
    await expect.poll(() => answered(ann, "status")).toMatch(/- 2 messages wait for you on Slack, until \d/);
  });

  it("when Slack holds or refuses a result, then `why` says so to them, and to no other person", async () => {
    const { ann, bob } = await start(backbone);
    await sayOnSlack();
    await answered(ann, "quiet", `${at(-2)}-${at(2)} UTC`);

    await research(ann, "lighthouses and tides");
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
    await research(ann, "knots and sails");
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
