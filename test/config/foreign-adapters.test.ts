import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadForeignAdapters } from "../../config/foreign/load-adapters.ts";
import { loadConfig, loadSchema } from "../../config/load-config.ts";
import { ConfigInvalid } from "../../config/problems/problem.ts";
import { projectRoot } from "../setup/project-files.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mooring-foreign-"));
  // A copy of its own, as an adapter with another version of zod has it.
  cpSync(join(projectRoot, "node_modules/zod"), join(folder, "node_modules/zod"), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const write = (file: string, text: string): string => {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

/** The module of an adapter; `fields` are those of its settings, `more` those of its definition. */
const adapter = (id: string, fields = "", more = ""): string => `
import { z } from "zod";
export default {
  contract: 1,
  id: "${id}",
  label: "A test platform",
  config: z.strictObject({
    adapter: z.literal("${id}"),
    agent: z.string().optional(),
    token: z.string().min(3).describe("The token of the bot."),
    ${fields}
  }),
  questions: [],
  create: async () => { throw new Error("not in this test"); },
  ${more}
};
`;

let count = 0;
/** The problems of a file with one channel, whose settings are given as YAML in one line. */
const problemsOf = async (channel: string, env: Record<string, string> = {}): Promise<string[]> => {
  const file = write(
    `file-${++count}.yaml`,
    `agents: [{ name: mooring, model: demo }]\nchannels:\n  here: ${channel}\n`,
  );
  return loadConfig({ file, env }).then(
    () => [],
    (error: unknown) => {
      if (!(error instanceof ConfigInvalid)) throw error;
      return error.problems.map(({ path, line, message }) => `${path} (${line}): ${message}`);
    },
  );
};

describe("given a channel whose adapter is a path or a package (C7)", () => {
  it("when the module is beside the file, then its schema checks the settings, also with another copy of zod", async () => {
    write("paper.js", adapter("paper", "limit: z.int().max(9).default(5),"));
    expect(await problemsOf('{ adapter: ./paper.js, token: "abc" }')).toEqual([]);
    expect(await problemsOf('{ adapter: ./paper.js, token: "a" }')).toEqual([
      "channels.here.token (3): must have at least 3 characters",
    ]);
    expect(await problemsOf("{ adapter: ./paper.js, token: abc, limit: 10 }")).toEqual([
      "channels.here.limit (3): must be at most 9",
    ]);
    expect(await problemsOf("{ adapter: ./paper.js, tokken: abc }")).toEqual([
      "channels.here.token (3): is missing: it must be text",
      'channels.here.tokken (3): is an unknown key; did you mean "token"?',
    ]);
    expect(await problemsOf("{ adapter: ./paper.js, token: abc, agent: nemo }")).toEqual([
      expect.stringContaining("channels.here.agent (3): names an agent that is not in this file"),
    ]);
  });

  it("when the settings are valid, then the configuration has them, with defaults and the adapter as it is written", async () => {
    write("defaults.js", adapter("defaults", "limit: z.int().default(5),"));
    const file = write(
      "valid.yaml",
      "agents: [{ name: mooring, model: demo }]\nchannels: { a: { adapter: ./defaults.js, token: '${T}', limit: '${L}' }, b: { adapter: ./defaults.js, token: xyz } }\n",
    );
    const config = await loadConfig({ file, env: { T: "secret", L: "7" } });
    expect(config.channels).toEqual({
      a: { adapter: "./defaults.js", token: "secret", limit: 7, agent: "mooring" },
      b: { adapter: "./defaults.js", token: "xyz", limit: 5, agent: "mooring" },
    });
    expect(config.adapters.get("./defaults.js")?.definition.label).toBe("A test platform");
    expect(Object.isFrozen(config.channels.a)).toBe(true);
    expect(JSON.stringify(config.adapters)).toBe('["web","slack","discord","teams","telegram","./defaults.js"]');
  });

  it("when the adapter is a package, then it is found from the folder of the file, by its exports for import", async () => {
    write("node_modules/mooring-adapter-post/index.mjs", adapter("post"));
    write(
      "node_modules/mooring-adapter-post/package.json",
      '{ "name": "mooring-adapter-post", "version": "1.0.0", "exports": { "import": "./index.mjs" } }',
    );
    expect(await problemsOf("{ adapter: mooring-adapter-post, token: abc }")).toEqual([]);
    write("node_modules/@me/letters/index.cjs", "exports.__esModule = true; exports.default = 7;");
    write(
      "node_modules/@me/letters/package.json",
      '{ "name": "@me/letters", "version": "1.0.0", "main": "index.cjs" }',
    );
    expect(await problemsOf('{ adapter: "@me/letters" }')).toEqual([
      expect.stringContaining("channels.here.adapter (3): does not export an adapter by default"),
    ]);
  });

  it("when the file is in another folder than the working directory, then paths are relative to the file", async () => {
    write("deep/own.js", adapter("own"));
    const file = write(
      "deep/mooring.yaml",
      "agents: [{ name: mooring, model: demo }]\nchannels: { here: { adapter: ./own.js, token: abc } }\n",
    );
    expect((await loadConfig({ file, env: {} })).channels.here).toMatchObject({ adapter: "./own.js" });
  });

  it("when the schema for editors is made, then it has the settings of the adapter under its name", async () => {
    write("schema.js", adapter("schema"));
    const file = write(
      "schema.yaml",
      "agents: [{ name: mooring, model: demo }]\nchannels: { here: { adapter: ./schema.js } }\n",
    );
    const text = JSON.stringify(await loadSchema({ file, env: {} }));
    expect(text).toContain('"const":"./schema.js"');
    expect(text).toContain("The token of the bot.");
    expect(text).not.toContain('"const":"schema"');
  });
});

describe("given a module that is not an adapter of this contract (C7)", () => {
  const cases: [string, string, RegExp][] = [
    ["it throws while it loads", 'throw new Error("no licence\\nfound");', /could not be loaded: no licence$/],
    ["it throws a text", 'throw "odd";', /could not be loaded: odd$/],
    ["it has a syntax error", "export default {", /could not be loaded: /],
    ["it has no default export", "export const x = 1;", /has no default export: write `export default defineAdapter/],
    ["it exports a function", "export default () => 1;", /does not export an adapter by default/],
    ["it exports no contract", 'export default { id: "x" };', /does not export an adapter by default/],
    [
      "it was made for another version",
      adapter("next").replace("contract: 1", "contract: 2"),
      /was made for version 2 of the adapter contract; this release has version 1/,
    ],
    ["its id has capitals", adapter("Paper"), /"id" must be lower-case/],
    ["its schema is not one", adapter("x1", "", "config: {},"), /"config" must be a schema of zod 4/],
    ["it cannot be created", adapter("x2", "", "create: 1,"), /"create" must be a function/],
    [
      "its schema has another id",
      adapter("x3").replace('z.literal("x3")', 'z.literal("y")'),
      /needs `adapter: z\.literal\("x3"\)`/,
    ],
    [
      "its schema has no agent",
      adapter("x4").replace("agent: z.string().optional(),", ""),
      /needs `\.\.\.channelFields`/,
    ],
    [
      "its flag is another adapter's",
      adapter("x5", "", 'questions: [{ flag: "port", message: "?" }],'),
      /the flag "port" of a question must begin with "x5-"/,
    ],
    ["its id is built in", adapter("slack"), /has the id "slack", which is built in/],
    [
      "its settings cannot be checked",
      adapter("x6", 'odd: z.string().optional().refine(() => { throw new Error("boom"); }),'),
      /^channels\.here \(3\): could not be checked by its adapter: boom$/,
    ],
    [
      "its access has another form",
      adapter("x7", 'access: z.string().default("all"),'),
      /^channels\.here\.access \(3\): has a form that the gateway does not know/,
    ],
  ];

  it.each(cases)("when %s, then the file is refused at the channel, with the reason", async (_, text, reason) => {
    const name = `bad-${++count}.js`;
    write(name, text);
    const problems = await problemsOf(
      `{ adapter: ./${name}, token: abc, odd: x }`.replace(", odd: x", text.includes("odd:") ? ", odd: x" : ""),
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^channels\.here/);
    expect(problems[0]).toMatch(reason);
  });

  it("when it never finishes loading, then that is reported after the time limit", async () => {
    write("slow.js", "await new Promise(() => {});");
    const loaded = await loadForeignAdapters(["./slow.js"], join(folder, "x.yaml"), 50);
    expect(loaded.get("./slow.js")).toEqual({ problem: "did not load within 0.05 s" });
  });

  it("when two modules have the same id, then the second one is refused", async () => {
    write("one.js", adapter("twin"));
    write("two.js", adapter("twin"));
    const loaded = await loadForeignAdapters(["./one.js", "./two.js"], join(folder, "x.yaml"));
    expect(loaded.get("./one.js")).toHaveProperty("adapter");
    expect(loaded.get("./two.js")).toEqual({
      problem: 'has the id "twin", as another adapter of this file does: its author must rename it',
    });
  });

  it.each([
    ["./absent.js", /could not be loaded: /],
    [
      "mooring-adapter-absent",
      /is neither a built-in adapter \(discord, slack, teams, telegram, web\) nor a package that is installed/,
    ],
    ["slakc", /must be "discord", "slack", "teams", "telegram" or "web"; did you mean "slack"\?/],
    ["http://example.com/x.js", /must be "discord", "slack", "teams", "telegram" or "web"/],
    ["data:text/javascript,1", /must be "discord", "slack", "teams", "telegram" or "web"/],
    ["node:fs", /must be "discord", "slack", "teams", "telegram" or "web"/],
    ["fs", /is neither a built-in adapter/],
  ])("when it is named %s and does not exist, then the file is refused with advice", async (name, reason) => {
    const problems = await problemsOf(`{ adapter: "${name}", token: abc }`);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(reason);
  });
});
