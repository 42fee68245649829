import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../config/parse-config.ts";
import { systemClock } from "../../core/contract/clock.ts";
import { silentLogger } from "../../core/contract/logger.ts";
import { type Running, runMooring } from "../../gateway/run-mooring.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import type { Post } from "../fakes/teams/connector-api.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { CHANNEL_ROOM, messageBy, objectIdOf } from "../fakes/teams/sent-activity.ts";
import { plainConfig } from "./deployment.ts";

const textOf = ({ activity }: Post) => (activity.text ?? "").replace(/<[^>]*>/g, " ");
const saying = (posts: readonly Post[], words: RegExp) => posts.filter((post) => words.test(textOf(post)));

/** In this process, so that the egress guard watches all of it. */
describe.each(["embedded", "nats"])("given Mooring in Teams, on %s", (kind) => {
  let teams: FakeTeams;
  let other: FakeTeams;
  let nats: NatsServer | undefined;
  let folder: string;
  let mooring: Running;

  const start = async () => {
    const backbone = nats ? { nats: { servers: [nats.url], leaseMs: 1_000 } } : "embedded";
    const ann = objectIdOf("ann");
    const text = JSON.stringify(
      plainConfig({
        backbone,
        dataDir: folder,
        agents: [{ name: "mooring", model: { provider: "demo", pauseMs: 50 } }],
        channels: { teams: teams.config, branch: other.config },
        people: [{ name: "Ann", accounts: { teams: ann, branch: ann } }],
      }),
    );
    const config = parseConfig({ file: "mooring.yaml", text, env: {} });
    const giveUp = new AbortController().signal;
    const roles = ["gateway", "core"] as const;
    mooring = await runMooring({ config, roles, clock: systemClock, logger: silentLogger, newId: randomUUID, giveUp });
    teams.endpoint = `${mooring.url}/channels/teams/messages`;
    other.endpoint = `${mooring.url}/channels/branch/messages`;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "mooring-teams-"));
    nats = kind === "nats" ? await NatsServer.start() : undefined;
    teams = await FakeTeams.start();
    other = await FakeTeams.start();
    await start();
  });
  afterEach(async () => {
    await mooring.stop();
    await nats?.stop();
    await teams.stop();
    await other.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("when a person writes, in private or in a thread, then the answer is there, once, whatever Teams repeats", async () => {
    expect(await teams.say({ text: "what is 6 * 7?", id: "17" })).toBe(200);
    expect(await teams.say({ text: "what is 6 * 7?", id: "17" })).toBe(200);
    expect(await teams.say({ text: "what is 6 * 7?", place: "channel", id: "18" })).toBe(200);
    const posts = await teams.api.posts.until((items) => saying(items, /42/).length >= 2);
    expect(posts.map(({ conversationId }) => conversationId).sort()).toEqual([
      `${CHANNEL_ROOM};messageid=18`,
      "a:chat-with-ann",
    ]);
    expect(teams.api.typing.items.length).toBeGreaterThan(0);
  });

  it("when somebody else writes in Teams' name, then nobody hears it", async () => {
    const forged = messageBy(teams, { text: "what is 6 * 7?" }, "17");
    expect(await teams.send(forged, { forged: true })).toBe(401);
    expect(await other.send({ ...forged, serviceUrl: other.serviceUrl })).toBe(401);
    expect(await teams.send("x".repeat(300_000))).toBe(413);
    await teams.say({ text: "what is 2 * 4?" });
    const posts = await teams.api.posts.until((items) => saying(items, /8/).length >= 1);
    expect(saying(posts, /42/)).toEqual([]);
  });

  it("when work ends after a restart, then the answer comes, and elsewhere with an anchor (O8, D2)", async () => {
    await other.say({ text: "hello" });
    await other.api.posts.count(1);
    await teams.say({ text: "research lighthouses, tides and knots" });
    await teams.api.posts.count(1);
    await mooring.stop();
    await start();
    const [last] = (await other.api.posts.count(2)).slice(-1) as [Post];
    expect(textOf(last)).toMatch(/lighthouses[\s\S]*tides[\s\S]*knots/);
    expect(JSON.stringify(last.activity.attachments)).toMatch(/↳ Re:.*research lighthouses.*\{\{DATE\(.*from Teams/);
    const here = await teams.api.posts.until(
      (items) => saying(items, new RegExp(textOf(last).slice(0, 20))).length > 0,
    );
    expect(JSON.stringify(here.at(-1)?.activity.attachments ?? [])).not.toContain("↳ Re:");
  });
});
