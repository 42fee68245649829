import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openConfigFile } from "../../../config/file/index.ts";
import { loadConfig } from "../../../config/index.ts";
import { LiveConfig } from "../../../gateway/reload/index.ts";
import { AdminRig, acmeAdmin, as } from "./admin-rig.ts";

const TEXT = `admin: { tokens: [{ token: platform-kX9vQ2mT7wZ4, role: platform_admin }] }
agents:
  - name: mooring
    model: { provider: openai-compatible, baseUrl: "https://models.example/v1", model: m, apiKey: "\${KEY}" }
    directives: "The password of the day is \${KEY}."
    maxToolRounds: 12
    mcpServers: { files: { command: node, args: ["--key", "hunter2"], env: { WORD: hunter2 } } }
channels: { web: { adapter: web, agent: mooring } }
gateway: { drainMs: 100 }
`;
const ROUNDS = { keys: ["agents", 0, "maxToolRounds"], value: 20 };

let rig: AdminRig;
let folder: string;
let path: string;
const reloads: number[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-settings-"));
  path = join(folder, "mooring.yaml");
  writeFileSync(path, TEXT);
  const from = { file: path, env: { KEY: "hunter2" } };
  const live = new LiveConfig(await loadConfig(from));
  const reload = async () => {
    const config = await loadConfig(from);
    reloads.push(config.agents[0]?.maxToolRounds ?? 0);
    live.replace(config);
    return { applied: ["agents[0].maxToolRounds"], restarted: ["agents"], needsRestart: [] };
  };
  rig = await AdminRig.open(undefined, {}, { config: live.view, configFile: openConfigFile(from), reload });
});
afterEach(async () => {
  reloads.length = 0;
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

const read = async () => (await rig.call("GET", "configuration")).body;
const settingAt = async (path: string) =>
  (await read()).settings.find((setting: { path: string }) => setting.path === path);

describe("given an operator who looks at settings", () => {
  it("when they are listed, then each has value, source and effect, and no secret is shown", async () => {
    const body = await read();
    expect(body).toMatchObject({ file: "mooring.yaml", problems: [], pending: { applied: [], needsRestart: [] } });
    expect(JSON.stringify(body)).not.toMatch(/hunter2|kX9vQ2mT7wZ4/);
    expect(await settingAt("agents[0].maxToolRounds")).toEqual({
      path: "agents[0].maxToolRounds",
      ...{ keys: ROUNDS.keys, value: 12, source: "file", effect: "agents", canChange: true },
    });
    expect(await settingAt("logLevel")).toMatchObject({
      value: "info",
      source: "default",
      effect: "now",
      canChange: true,
    });
    expect(await settingAt("gateway.drainMs")).toMatchObject({ effect: "process", canChange: false, keys: [] });
    expect(await settingAt("agents[0].model.apiKey")).toMatchObject({ source: `\${KEY}`, canChange: false });
  });

  it("when the file has changed or is not valid, then the answer says what a reload would do, or why it would not", async () => {
    writeFileSync(path, TEXT.replace("12", "13").replace("100", "200"));
    expect((await read()).pending).toEqual({ applied: ["agents[0].maxToolRounds"], needsRestart: ["gateway.drainMs"] });
    writeFileSync(path, TEXT.replace("12", "many"));
    const body = await read();
    expect(body.problems).toMatchObject([{ path: "agents[0].maxToolRounds", line: 6 }]);
    expect(body.digest).toBeUndefined();
    expect(JSON.stringify(body)).not.toContain("hunter2");
  });

  it("when they change a number, then the file has it, it is in force, and the audit log has both values", async () => {
    const { digest } = await read();
    const { status, body } = await rig.call("POST", "configuration/settings", { ...ROUNDS, digest });
    expect([status, body.applied]).toEqual([200, ["agents[0].maxToolRounds"]]);
    expect(readFileSync(path, "utf8")).toBe(TEXT.replace("12", "20"));
    expect(reloads).toEqual([20]);
    expect((await rig.call("GET", "audit")).body.items[0]).toMatchObject({
      action: "POST /admin/api/configuration/settings",
      detail: { setting: "agents[0].maxToolRounds", from: 12, to: 20 },
    });
    expect((await rig.call("POST", "configuration/settings", { ...ROUNDS, value: 30, digest })).status).toBe(409);
    expect(reloads).toEqual([20]);
  });

  it.each<[string, object, number, RegExp]>([
    ["a number out of range", { ...ROUNDS, value: -1 }, 400, /agents\[0\]\.maxToolRounds \(line 6\)/],
    ["a text for a number", { ...ROUNDS, value: "many" }, 400, /line 6/],
    ["a setting that needs a restart", { keys: ["gateway", "drainMs"], value: 5 }, 400, /edit the file/],
    ["a program", { keys: ["agents", 0, "mcpServers", "files", "command"], value: "sh" }, 400, /edit the file/],
    ["a secret", { keys: ["agents", 0, "model", "apiKey"], value: "mine" }, 400, /edit the file/],
    ["the length of a list", { keys: ["admin", "tokens", "length"], value: 0 }, 400, /edit the file/],
    ["a reference to a secret", { keys: ["logLevel"], value: `\${KEY}` }, 400, /logLevel/],
    ["an unknown setting", { keys: ["agents", 0, "colour"], value: 1 }, 400, /edit the file/],
    ["an unknown level", { keys: ["logLevel"], value: "loud" }, 400, /logLevel/],
    ["no keys", { keys: [], value: 1 }, 400, /keys/],
  ])("when they change %s, then the answer says why not, and nothing changes", async (_, given, status, why) => {
    const { digest } = await read();
    const answer = await rig.call("POST", "configuration/settings", { ...given, digest });
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toMatch(why);
    expect(readFileSync(path, "utf8")).toBe(TEXT);
    expect(reloads).toEqual([]);
  });

  it("when an org admin or a stranger asks, then they get nothing and change nothing", async () => {
    const { digest } = await read();
    expect((await rig.call("GET", "configuration", undefined, acmeAdmin)).status).toBe(403);
    expect((await rig.call("POST", "configuration/settings", { ...ROUNDS, digest }, acmeAdmin)).status).toBe(403);
    expect((await rig.call("GET", "configuration", undefined, as("wrong"))).status).toBe(401);
    expect(readFileSync(path, "utf8")).toBe(TEXT);
  });
});
