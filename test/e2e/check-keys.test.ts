import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { fails, says } from "../fakes/model-answer.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

let deployment: Deployment;
let server: ScriptedModelServer;
afterEach(async () => {
  await deployment.dispose();
  await server.stop();
});

describe("given an agent with several models and keys", () => {
  it("when one server refuses its key, then `check --live` names that setting and its variable, and no other", async () => {
    server = await ScriptedModelServer.start(({ headers }) =>
      headers.authorization === "Bearer good-key" ? says("OK") : fails(401),
    );
    const model = (key: string, name: string) => ({
      provider: "openai-compatible",
      baseUrl: server.baseUrl,
      model: name,
      apiKey: `\${${key}}`,
    });
    const agent = {
      name: "mooring",
      model: model("FIRST_KEY", "first"),
      fallbackModels: [model("FIRST_KEY", "second"), model("SPARE_KEY", "third")],
    };
    deployment = await Deployment.create(plainConfig({ agents: [agent] }));
    await writeFile(join(deployment.folder, ".env"), "FIRST_KEY=good-key\nSPARE_KEY=stale-key\n");
    const check = deployment.run("check", ["--live"]);
    expect(await check.exited).toMatchObject({ code: 1 });
    expect(check.stdout()).toContain(`the key: agents[0].fallbackModels[1].apiKey, which is \${SPARE_KEY}`);
    expect(check.stdout()).not.toContain("FIRST_KEY");
    expect(check.stdout()).not.toContain("stale-key");
    expect(check.stdout()).toContain("1 problem to fix.");
  });

  it("when the configuration has errors of several kinds, then one run lists all of them with their lines", async () => {
    server = await ScriptedModelServer.start();
    const wrong = {
      gateway: { port: 99_999 },
      agents: [{ name: "mooring", model: { provider: "anthropic", model: "m", apiKey: `\${NOT_SET}` } }],
      channels: {
        web: { adapter: "web", agent: "nobody" },
        slack: { adapter: "slack" },
        other: { adapter: "./no.js" },
      },
      agnets: [],
    };
    deployment = await Deployment.create(wrong);
    const check = deployment.run("check");
    expect(await check.exited).toMatchObject({ code: 1 });
    for (const named of [
      /gateway\.port \(line \d+\): must be at most 65535/,
      /NOT_SET/,
      /channels\.web\.agent \(line \d+\)/,
      /channels\.slack\.botToken|channels\.slack \(line/,
      /channels\.other\.adapter \(line \d+\)/,
      /agnets/,
    ])
      expect(check.stderr()).toMatch(named);
  });
});
