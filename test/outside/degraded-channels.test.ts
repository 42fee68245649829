import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { freePort } from "../setup/free-port.ts";
import { type Backbone, Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
let slack: FakeSlack;
let hangingSlack: FakeSlack;
let discord: FakeDiscord;
let teams: FakeTeams;
beforeEach(async () => {
  slack = await FakeSlack.start();
  hangingSlack = await FakeSlack.start();
  hangingSlack.faultIn = () => "hang";
  discord = await FakeDiscord.start();
  teams = await FakeTeams.start();
});
afterEach(async () => {
  await product.dispose();
  hangingSlack.recover();
  await Promise.all([slack, hangingSlack, discord, teams].map((platform) => platform.stop()));
});

interface ReadyBody {
  readonly ready: boolean;
  readonly degraded: readonly { readonly part: string; readonly reason: string }[];
}

const readyBody = async ({ address }: StartedProcess): Promise<ReadyBody> => {
  const answer = await fetch(`${address}/health/ready`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as ReadyBody;
};

/** The reasons by channel, once exactly these channels are degraded. Every response until then has status 200. */
const degraded = async (mooring: StartedProcess, ...channels: string[]): Promise<Record<string, string>> => {
  for (;;) {
    const { degraded: parts } = await readyBody(mooring);
    const reasons = Object.fromEntries(parts.map(({ part, reason }) => [part.replace("channel ", ""), reason]));
    const isStarting = Object.keys(reasons).some((name) => reasons[name] === "starting" && name !== "slack-hanging");
    if (!isStarting && Object.keys(reasons).sort().join() === [...channels].sort().join()) return reasons;
    await delay(50);
  }
};

const config = async () => {
  const { apiUrl, signingSecret, botToken } = slack;
  const access = { guilds: "*" };
  const away = `http://127.0.0.1:${await freePort()}`;
  return {
    channels: {
      web: { adapter: "web" },
      slack: { adapter: "slack", botToken, apiUrl, signingSecret },
      "slack-wrong": { adapter: "slack", botToken: "xoxb-0-wrong", apiUrl, signingSecret },
      "slack-away": { adapter: "slack", botToken, apiUrl: `${away}/api/`, signingSecret },
      "slack-hanging": { adapter: "slack", botToken, apiUrl: hangingSlack.apiUrl, signingSecret },
      "discord-wrong": { adapter: "discord", botToken: "wrong.discord.token", apiUrl: discord.apiUrl, access },
      "discord-away": { adapter: "discord", botToken: discord.token, apiUrl: `${away}/api`, access },
      "teams-wrong": { ...teams.config, appPassword: "the wrong secret" },
      "teams-away": { ...teams.config, tokenUrl: away },
    },
  };
};

const BROKEN = [
  "slack-wrong",
  "slack-away",
  "slack-hanging",
  "discord-wrong",
  "discord-away",
  "teams-wrong",
  "teams-away",
];

const linesOf = ({ stderr }: StartedProcess, message: string, channel: string) =>
  stderr()
    .split("\n")
    .filter((line) => line.includes(`"${message}"`) && line.includes(`"channel":"${channel}"`));

describe.each<Backbone>(["embedded", "nats"])(
  "given one gateway on %s with healthy and broken channels",
  (backbone) => {
    it("when tokens are wrong and platforms down, then those channels are degraded and the others work (U6, F33)", async () => {
      product = await Product.create({ backbone, config: await config() });
      const mooring = await product.start("start");
      await mooring.ready();
      const visitor = product.client("visitor", mooring.address);
      expect((await visitor.answerTo(visitor.say("hello"))).markdown).toContain("demo");

      const reasons = await degraded(mooring, ...BROKEN);
      expect(reasons["slack-wrong"]).toContain("invalid_auth");
      expect(reasons["slack-away"]).toContain("could not be reached");
      expect(reasons["discord-wrong"]).toMatch(/token/);
      expect(reasons["teams-wrong"]).toContain("AADSTS7000215");
      expect(reasons["teams-away"]).toContain("refuses the connection");

      const metrics = await (await fetch(`${mooring.address}/metrics`)).text();
      expect(metrics).toContain('mooring_channel_degraded{channel="web"} 0');
      for (const channel of BROKEN) expect(metrics).toContain(`mooring_channel_degraded{channel="${channel}"} 1`);

      // A later 401: the token is revoked while the channel runs.
      slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
      slack.botToken = "xoxb-0-new";
      for (const user of ["U0ANN", "U0BOB", "U0CAT"]) {
        if (!slack.world.users.has(user)) slack.world.addUser({ id: user, name: user });
        expect(await slack.say({ text: "hello", user })).toMatchObject({ answer: "acknowledged" });
      }
      expect(await degraded(mooring, "slack", ...BROKEN)).toMatchObject({
        slack: expect.stringContaining("invalid_auth"),
      });
      await visitor.answerTo(visitor.say("hello again"));
      const token = (await readFile(join(product.folder, "data/admin-token"), "utf8")).trim();
      const headers = { authorization: `Bearer ${token}` };
      const shown = async () => (await fetch(`${mooring.address}/admin/api/channels/slack`, { headers })).json();
      await expect
        .poll(shown, { timeout: 5_000 })
        .toMatchObject({ state: "degraded", reason: expect.stringContaining("invalid_auth") });

      slack.botToken = "xoxb-0-local";
      await slack.until((posted) => posted.length >= 3);
      await degraded(mooring, ...BROKEN);
      await expect.poll(() => linesOf(mooring, "channel recovered", "slack").length).toBe(1);
      // The channel whose platform hangs is still in its first attempt, so its state has not changed yet.
      for (const channel of ["slack", ...BROKEN].filter((name) => name !== "slack-hanging")) {
        const lines = linesOf(mooring, "channel degraded", channel);
        expect(lines, channel).not.toEqual([]);
        // On a busy machine a short lease of the exclusive connection may expire, and each new connection starts degraded.
        if (!channel.startsWith("discord")) expect(lines, channel).toHaveLength(1);
      }
      expect(linesOf(mooring, "channel degraded", "web")).toEqual([]);
      expect(await mooring.end(), mooring.stderr()).toEqual({ code: 0, signal: null });
    }, 120_000);
  },
);
