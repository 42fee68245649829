import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Config } from "../../../config/schema/config.ts";
import { deploymentWarnings } from "../../../gateway/check/deployment-warnings.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mooring-warnings-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const DEMO = [{ name: "mooring", model: "demo" }];
const REAL = [{ name: "mooring", model: { provider: "anthropic", model: "m", apiKey: "k" } }];
const warningsFor = (gateway: object, agents: object[] = REAL, isGateway = true) =>
  deploymentWarnings(Config.parse({ gateway, agents, dataDir: join(folder, "data") }), {
    envFile: join(folder, ".env"),
    isGateway,
  });
const subjects = (...given: Parameters<typeof warningsFor>) => warningsFor(...given).map(({ subject }) => subject);

describe("given the settings of a gateway", () => {
  it.each([
    ["loopback", { host: "127.0.0.1" }, []],
    ["localhost", { host: "localhost" }, []],
    ["all addresses", { host: "0.0.0.0" }, ["demo model"]],
    ["all addresses of IPv6", { host: "::" }, ["demo model"]],
    ["an address of the network", { host: "10.0.0.7" }, ["demo model"]],
    ["a public address in front of loopback", { publicUrl: "http://chat.example" }, ["demo model", "proxy"]],
  ])(
    "when it listens on %s with the demo model, then there is a warning if other machines can reach it (U1)",
    (_, gateway, expected) => {
      expect(subjects(gateway, DEMO)).toEqual(expected);
    },
  );

  it.each([
    ["no proxy is needed", { host: "0.0.0.0", publicUrl: "http://chat.example" }, []],
    ["the address is https", { host: "0.0.0.0", publicUrl: "https://chat.example" }, ["proxy"]],
    ["the public address leads to loopback", { publicUrl: "http://chat.example" }, ["proxy"]],
    ["the proxy is declared", { publicUrl: "https://chat.example", trustedProxies: ["127.0.0.1"] }, []],
    ["the public address is local", { publicUrl: "http://localhost:9000" }, []],
  ])("when %s, then there is a warning only for an undeclared proxy", (_, gateway, expected) => {
    expect(subjects(gateway)).toEqual(expected);
  });

  it("when the process is not a gateway, then there are no warnings", () => {
    expect(subjects({ host: "0.0.0.0", publicUrl: "https://chat.example" }, DEMO, false)).toEqual([]);
  });
});

describe("given files with secrets and conversations", () => {
  it("when other users may read them, then each has a warning with the chmod command (U1)", () => {
    const env = join(folder, ".env");
    writeFileSync(env, "");
    chmodSync(env, 0o640);
    const data = folder;
    chmodSync(data, 0o755);
    const config = Config.parse({ agents: REAL, dataDir: data });
    expect(deploymentWarnings(config, { envFile: env })).toEqual([
      { verdict: "warning", subject: "data folder", text: expect.stringContaining(`(mode 755): chmod 700 ${data}`) },
      { verdict: "warning", subject: "secrets", text: expect.stringContaining(`(mode 640): chmod 600 ${env}`) },
    ]);
    chmodSync(env, 0o600);
    chmodSync(data, 0o700);
    expect(deploymentWarnings(config, { envFile: env })).toEqual([]);
  });
});

describe("given files that values of the configuration come from", () => {
  const warningsOf = (file: string, mounted: { readonly mountedSecrets?: string } = {}) =>
    deploymentWarnings(Config.parse({ agents: REAL, dataDir: join(folder, "data") }), {
      envFile: join(folder, ".env"),
      secretFiles: [file],
      ...mounted,
    });

  it.each([
    [0o644, 1],
    [0o604, 1],
    [0o640, 0],
    [0o600, 0],
  ])("when the mode is %o, then there is a warning only if every user may read it (U1)", (mode, count) => {
    const file = join(folder, "key");
    writeFileSync(file, "k");
    chmodSync(file, mode);
    const text = expect.stringContaining(`chmod 640 ${file}`);
    expect(warningsOf(file)).toEqual(Array(count).fill({ verdict: "warning", subject: "secrets", text }));
  });

  it("when a container runtime mounted it, then its mode does not matter", () => {
    const file = join(folder, "key");
    writeFileSync(file, "k", { mode: 0o644 });
    chmodSync(file, 0o644);
    expect(warningsOf(file)).toHaveLength(1);
    expect(warningsOf(file, { mountedSecrets: `${folder}/` })).toEqual([]);
  });
});

describe("given an agent elsewhere (T5, T6)", () => {
  const elsewhere = { name: "mooring", model: { provider: "a2a", url: "https://agent.example.com" } };

  it("when it has settings of our own agents, then a warning names those that have no effect", () => {
    const tools = [{ name: "order", description: "An order.", url: "https://shop.example/orders" }];
    const mcpServers = { tides: { command: "tides" } };
    const [found, ...more] = warningsFor({}, [{ ...elsewhere, directives: "Be brief.", tools, mcpServers }]);
    expect(found).toEqual({
      verdict: "warning",
      subject: "agent elsewhere",
      text: expect.stringContaining("directives, tools, mcpServers of mooring have no effect"),
    });
    expect(more).toEqual([]);
  });

  it("when it has none of them, or a model of ours answers, then there is no warning", () => {
    expect(warningsFor({}, [elsewhere])).toEqual([]);
    expect(warningsFor({}, [{ ...REAL[0], directives: "Be brief." }])).toEqual([]);
  });
});
