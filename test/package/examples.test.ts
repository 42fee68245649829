import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { calls, says } from "../fakes/model-answer.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { Product, type StartedProcess } from "../outside/product.ts";
import { projectRoot } from "../setup/project-files.ts";
import { type Installation, PACK_TIMEOUT_MS, PackedMooring } from "./packed-mooring.ts";

/** The part of the example's platform that these tests use. */
interface Platform {
  readonly url: string;
  readonly token: string;
  readonly signingSecret: string;
  readonly notes: readonly { readonly room: string; readonly text: string; readonly footer?: string }[];
  open(): Promise<Platform>;
  close(): Promise<void>;
  send(event: object): Promise<{ status: number }>;
  until(holds: () => boolean): Promise<void>;
}

let packed: PackedMooring;
let installed: Installation;
let openPlatform: () => Promise<Platform>;
beforeAll(async () => {
  packed = await PackedMooring.pack({ types: false });
  installed = await packed.install("author");
  await installed.link("vitest");
  for (const folder of ["paper", "node_modules/mooring-adapter-paper"])
    cpSync(join(projectRoot, "examples/adapter"), join(installed.folder, folder), { recursive: true });
  const file = pathToFileURL(join(installed.folder, "paper/test/paper-platform.js")).href;
  const { PaperPlatform } = await import(/* @vite-ignore */ file);
  openPlatform = () => new PaperPlatform().open();
}, PACK_TIMEOUT_MS);
afterAll(() => packed?.dispose());

const runSuite = (folder: string) =>
  installed.node("node_modules/vitest/vitest.mjs", "run", "--root", folder, "--no-color");

describe("given the example adapter in a folder with only the package (C1, C7)", () => {
  it("when its author runs the contract suite, then it passes", async () => {
    const ran = await runSuite("paper");
    expect(ran.stdout + ran.stderr).toMatch(/Tests\s+\d+ passed/);
    expect(ran.code).toBe(0);
  });

  it("when it forgets the channel in the id of a message, then the suite fails", async () => {
    cpSync(join(installed.folder, "paper"), join(installed.folder, "broken"), { recursive: true });
    const file = join(installed.folder, "broken/inbound.js");
    const source = readFileSync(file, "utf8");
    writeFileSync(file, source.replace(/`\$\{channel\}:\$\{event\.note\}`/, "event.note"));
    const ran = await runSuite("broken");
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/Tests\s+\d+ failed/);
  });

  it("when another runner than vitest runs it, then it gets describe, it and expect by injection", async () => {
    const ran = await installed.evaluate(`
      import { channelAdapterContract } from "mooring/testing";
      import { paperHarness } from "./paper/test/paper-harness.js";
      const cases = [];
      const expect = (actual) => new Proxy({}, { get: (_, name) => (name === "not" ? expect(actual) : () => undefined) });
      Object.assign(expect, { stringContaining: String, any: String });
      channelAdapterContract("paper", paperHarness, {
        describe: (_, define) => define(),
        it: (name, test) => cases.push(test),
        expect,
      });
      await cases[0]();
      console.log(cases.length > 20 ? "ran" : cases.length);
    `);
    expect(ran).toMatchObject({ code: 0, stdout: "ran\n" });
  });
});

describe("given the example tool in a folder with only the package (T1, U5)", () => {
  it("when an agent has it, then check lists it, and the model gets its result", async () => {
    const model = await ScriptedModelServer.start(({ toolOutputs }) =>
      toolOutputs.length > 0
        ? says(toolOutputs.join())
        : calls([{ name: "convert_length", arguments: { value: 3, from: "km", to: "m" } }]),
    );
    const agent = {
      name: "mooring",
      model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "key" },
      tools: ["./tool/convert-units.js"],
      rights: { anonymous: ["default", "tool:convert_length"] },
    };
    const product = await Product.create({ backbone: "embedded", config: { agents: [agent] } });
    try {
      symlinkSync(join(installed.folder, "node_modules"), join(product.folder, "node_modules"));
      cpSync(join(projectRoot, "examples/tool"), join(product.folder, "tool"), { recursive: true });
      const started = await product.start("start", {}, installed.main);
      await started.ready();
      const client = product.client("visitor", started.address);
      const answer = await client.answerTo(client.say("how many metres are 3 km?"));
      expect(answer.markdown).toContain("3 km = 3000 m");
      await installed.write("tooled.yaml", { agents: [agent], channels: { web: { adapter: "web" } } });
      cpSync(join(projectRoot, "examples/tool"), join(installed.folder, "tool"), { recursive: true });
      const checked = await installed.npx("mooring", "check", "--config", "tooled.yaml");
      expect(checked.stdout).toContain("convert_length");
      expect(checked.code).toBe(0);
    } finally {
      await product.dispose();
      await model.stop();
    }
  });
});

describe("given the example MCP server of the package (T1, U5)", () => {
  it("when a stranger follows the quick tour, then a visitor gets an answer from its tool, and check lists it", async () => {
    const page = readFileSync(join(projectRoot, "docs/quick-tour.md"), "utf8");
    const [, lines = ""] = /```yaml\n( {4}mcpServers[^`]*)```/.exec(page) ?? [];
    const [, path = ""] = /with the path `([^`]+)`/.exec(page) ?? [];
    const [, command = ""] = /`npx (mooring init[^`]*)`/.exec(page) ?? [];
    expect((await installed.npx(...command.split(" "))).code).toBe(0);
    const written = readFileSync(join(installed.folder, "mooring.yaml"), "utf8");
    const added = written.replace(
      /^( {4}model: demo)$/m,
      `$1\n${lines.replace("examples/mcp/harbour.mjs", path).trimEnd()}`,
    );
    await installed.write("mooring.yaml", added);
    const checked = await installed.npx("mooring", "check", "--live", "--config", "mooring.yaml");
    expect(checked.stdout).toMatch(/harbour__next_tide: MCP harbour: anonymous/);

    const product = await Product.create({ backbone: "embedded", config: { agents: parse(added).agents } });
    try {
      symlinkSync(join(installed.folder, "node_modules"), join(product.folder, "node_modules"));
      const started = await product.start("start", {}, installed.main);
      await started.ready();
      const client = product.client("visitor", started.address);
      const { markdown } = await client.answerTo(client.say("when is the next tide in Kiel?"));
      expect(markdown).toMatch(/The next high tide in Kiel is at \d\d:\d\d UTC\.$/);
    } finally {
      rmSync(join(installed.folder, "mooring.yaml"));
      await product.dispose();
    }
  });
});

const settings = ({ url, token, signingSecret }: Platform) => ({ apiUrl: url, token, signingSecret });

describe("given a configuration that names the example (C7, U2)", () => {
  it("when it is checked, then settings, suggestions and the schema are those of the adapter", async () => {
    const channels = { here: { adapter: "mooring-adapter-paper", apiUrl: "http://127.0.0.1:1", tokn: "t" } };
    await installed.write("wrong.yaml", { agents: [{ name: "mooring", model: "demo" }], channels });
    const wrong = await installed.npx("mooring", "check", "--config", "wrong.yaml");
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/channels\.here\.tokn \(line \d+\): is an unknown key; did you mean "token"\?/);
    expect(wrong.stderr).toContain("channels.here.signingSecret");
    const schema = await installed.npx("mooring", "schema", "--config", "wrong.yaml");
    expect(schema.stdout).toContain("Signs the requests of the platform.");
    expect(schema.stdout).toContain('"mooring-adapter-paper"');
  });

  it("when init gets its name, then its questions are flags, and its guide is named", async () => {
    const platform = await openPlatform();
    try {
      const flags = ["--paper-url", platform.url, "--paper-token", platform.token, "--paper-secret", "paper-secret"];
      const absent = await installed.npx("mooring", "init", "--yes", "--adapter", "./absent.js");
      expect(absent.code).toBe(1);
      expect(absent.stderr).toContain("mooring: --adapter ./absent.js: could not be loaded:");
      const init = await installed.npx(
        "mooring",
        "init",
        "--yes",
        "--adapter",
        "./paper/index.js",
        ...flags,
        "--port",
        "0",
      );
      expect(init).toMatchObject({ code: 0 });
      expect(init.stdout).toContain("examples/adapter/README.md");
      const yaml = readFileSync(join(installed.folder, "mooring.yaml"), "utf8");
      expect(yaml).toContain("adapter: ./paper/index.js");
      expect(yaml).not.toContain(platform.token);
      const live = await installed.npx("mooring", "check", "--live", "--config", "mooring.yaml");
      expect(live.stdout).toMatch(/ok\s+channel paper: its platform accepts the configuration/);
      writeFileSync(join(installed.folder, ".env"), "PAPER_TOKEN=wrong\nPAPER_SECRET=paper-secret\n");
      const refused = await installed.npx("mooring", "check", "--live", "--config", "mooring.yaml");
      expect(refused.stdout).toMatch(/problem\s+channel paper: .*check apiUrl and token/);
    } finally {
      await platform.close();
    }
  });
});

describe.each(["embedded", "nats"] as const)("given channels of outside adapters on %s (C6, C7, U6)", (backbone) => {
  let product: Product;
  const platforms: Platform[] = [];
  afterEach(async () => {
    await product.dispose();
    await Promise.all(platforms.splice(0).map((platform) => platform.close()));
  });

  const start = async (channels: object, files: Readonly<Record<string, string>> = {}): Promise<StartedProcess> => {
    const agents = ["alpha", "beta"].map((name) => ({ name, model: "demo" }));
    product = await Product.create({ backbone, config: { agents } });
    symlinkSync(join(installed.folder, "node_modules"), join(product.folder, "node_modules"));
    cpSync(join(installed.folder, "paper"), join(product.folder, "paper"), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(product.folder, file), text);
    const web = { adapter: "web", agent: "alpha" };
    const started = await product.start("start", { channels: { web, ...channels } }, installed.main);
    await started.ready();
    return started;
  };
  const said = (text: string) => ({
    type: "message",
    id: text,
    note: `in-${text}`,
    room: "dm-ann",
    direct: true,
    author: { id: "u-ann", name: "Ann", bot: false },
    text,
    at: new Date().toISOString(),
  });

  it("when one adapter has two channels of two agents, then each answers on its own platform", async () => {
    platforms.push(await openPlatform(), await openPlatform());
    const [first, second] = platforms as [Platform, Platform];
    await start({
      "paper-a": { adapter: "./paper/index.js", agent: "alpha", ...settings(first) },
      "paper-b": { adapter: "./paper/index.js", agent: "beta", ...settings(second) },
    });
    expect(await first.send(said("hello"))).toMatchObject({ status: 200 });
    expect(await second.send(said("/help"))).toMatchObject({ status: 200 });
    await first.until(() => first.notes.some(({ text }) => text.includes("demo")));
    // The list of commands is longer than one note.
    await second.until(() => second.notes.some(({ text }) => text.includes("/unlink")));
    expect(first.notes).toMatchObject([{ room: "dm-ann" }]);
    expect(second.notes).toMatchObject([{ room: "dm-ann" }, { room: "dm-ann" }]);
    const help = second.notes.map(({ text }) => text).join("\n");
    for (const command of ["`/status", "`/unlink"]) expect(help.split(command)).toHaveLength(2);
  });

  it("when an adapter throws anywhere, then the process runs on and only its channel is degraded", async () => {
    const started = await start(
      { faulty: { adapter: "./faulty.js", agent: "alpha" }, unmade: { adapter: "./unmade.js", agent: "beta" } },
      { "faulty.js": FAULTY, "unmade.js": UNMADE },
    );
    const client = product.client("visitor", started.address);
    for (const text of ["one", "two"]) expect(await client.answerTo(client.say(text))).toMatchObject({ type: "reply" });
    const hit = await fetch(`${started.address}/channels/faulty/hook`, { method: "POST" });
    expect(hit.status).toBe(500);
    await client.answerTo(client.say("three"));
    const ready = await fetch(`${started.address}/health/ready`);
    const health = JSON.stringify(await ready.json());
    expect(ready.status).toBe(200);
    expect(health).toContain("channel faulty");
    expect(health).toContain("channel unmade");
    expect(health).not.toContain("channel web");
    expect(started.stderr()).toContain("adapter bug: uncaught error");
    expect(started.stderr()).toContain("adapter could not be created, channel is degraded");
    expect(started.stderr()).not.toContain("process exits");
    expect(await started.end()).toEqual({ code: 0, signal: null });
  });
});

const HEAD = `
import { channelFields, defineAdapter } from "mooring/adapter";
import { z } from "zod";
const definition = (id, create) => defineAdapter({
  contract: 1, id, label: id, questions: [], create,
  config: z.strictObject({ adapter: z.literal(id), ...channelFields }),
});
`;
const FAULTY = `${HEAD}
setInterval(() => { throw new Error("module"); }, 10);
export default definition("faulty", async (_, { channel }) => ({
  channel,
  capabilities: { connection: "shared", resend: "repeats" },
  webhooks: [{ method: "POST", path: "hook", maxBodyBytes: 9, handle() { throw new Error("webhook"); } }],
  async start() {
    setInterval(() => { throw new Error("interval"); }, 200);
    Promise.reject(new Error("forgotten promise"));
    queueMicrotask(() => { throw new Error("microtask"); });
    process.nextTick(() => { throw undefined; });
  },
  deliver() { throw null; },
  onSignal() { throw new Error("signal"); },
  stop() { throw new Error("stop"); },
}));
`;
const UNMADE = `${HEAD}
export default definition("unmade", () => { throw new Error("no licence"); });
`;
