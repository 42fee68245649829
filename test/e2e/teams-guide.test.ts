import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../config/parse-config.ts";
import { readYaml } from "../../config/read/read-yaml.ts";
import type { Config } from "../../config/schema/config.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { checkLive } from "../../gateway/check/check-live.ts";
import { type Running, runMooring } from "../../gateway/run-mooring.ts";
import { teamsGuide } from "../adapters/teams/teams-guide.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import type { TeamsConversationType } from "../fakes/teams/sent-activity.ts";
import { freePort } from "../setup/free-port.ts";
import { plainConfig } from "./deployment.ts";

/** The configuration file of a reader of the guide, with these ids and this secret. */
const configBy = ({ config }: FakeTeams, dataDir: string, port: number): Config => {
  const example = teamsGuide
    .yaml("gateway:")
    .replace(/appId: "[^"]*"/, `appId: "${config.appId}"`)
    .replace(/tenantId: "[^"]*"/, `tenantId: "${config.tenantId}"`);
  const { gateway, channels } = readYaml(example).value as {
    gateway: object;
    channels: { teams: Record<string, unknown> };
  };
  // The addresses of a local Teams; the rest is as in the guide.
  const { adapter: _, appId: _id, appPassword: _password, tenantId: _tenant, ...addresses } = config;
  const whole = plainConfig({
    gateway: { host: "127.0.0.1", port, ...gateway },
    dataDir,
    channels: { ...channels, teams: { ...channels.teams, ...addresses } },
  });
  const env = { TEAMS_APP_PASSWORD: config.appPassword };
  return parseConfig({
    file: "mooring.yaml",
    text: JSON.stringify(whole).replaceAll("YOUR-HOST", "host.example"),
    env,
  });
};

describe("given a deployment made exactly by the Teams guide", () => {
  let teams: FakeTeams;
  let folder: string;
  let config: Config;
  let mooring: Running | undefined;

  beforeEach(async () => {
    teams = await FakeTeams.start();
    folder = await mkdtemp(join(tmpdir(), "mooring-guide-"));
    config = configBy(teams, folder, await freePort());
  });
  afterEach(async () => {
    await mooring?.stop();
    await teams.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("when mooring check --live runs, then it finds no problems (U2)", async () => {
    const findings = await checkLive(config, { clock: systemClock, newId: randomUUID });
    expect(findings.filter(({ verdict }) => verdict === "problem")).toEqual([]);
    expect(findings).toContainEqual(expect.objectContaining({ verdict: "ok", subject: "channel teams" }));
  });

  it("when it starts, then it answers at the guide's endpoint in every scope of the manifest, with its commands", async () => {
    const signal = new AbortController().signal;
    const parts = { clock: systemClock, logger: silentLogger, newId: randomUUID, abortStart: signal };
    mooring = await runMooring({ config, roles: ["gateway", "core"], ...parts });
    const [endpoint = ""] = /https:\/\/YOUR-HOST\/[\w/]+/.exec(teamsGuide.text) ?? [];
    teams.endpoint = endpoint.replace("https://YOUR-HOST", `http://127.0.0.1:${config.gateway.port}`);
    const conversationTypes: Record<string, TeamsConversationType> = {
      personal: "personal",
      team: "channel",
      groupchat: "groupChat",
    };
    const [{ scopes, commandLists }] = teamsGuide.manifest.bots;
    for (const scope of scopes) {
      const conversationType = conversationTypes[scope];
      if (conversationType === undefined) throw new Error(`the manifest has a place that Teams has not: ${scope}`);
      await teams.install("add", { conversationType });
      expect(await teams.say({ text: "hello", conversationType })).toBe(200);
    }
    const titles = commandLists[0].commands.map(({ title }) => title);
    for (const title of titles) expect(await teams.say({ text: title })).toBe(200);
    const posts = await teams.api.posts.count(scopes.length + titles.length);
    expect(new Set(posts.map(({ conversationId }) => conversationId.split(";")[0])).size).toBe(scopes.length);
    expect(JSON.stringify(posts)).not.toContain("I don't know the command");
  });
});
