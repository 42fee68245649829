import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import type { ToolContext } from "../../../core/contract/tool.ts";
import { FetchUrlConfig, ToolsConfig } from "../../../core/tools/config.ts";
import { loadModule } from "../../../core/tools/modules/load-module.ts";
import { openTools } from "../../../core/tools/tool-catalog.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { projectRoot } from "../../setup/project-files.ts";

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-modules-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ZOD = pathToFileURL(join(projectRoot, "node_modules/zod/index.js")).href;
const tool = (fields = "") =>
  `{ contract: 1, name: "double", description: "Doubles", input: z.object({ n: z.number() }), run: async ({ n }) => String(2 * n), ${fields} }`;
const load = async (source: string) => {
  const file = join(folder, `tools-${files++}.mjs`);
  await writeFile(file, `import { z } from ${JSON.stringify(ZOD)};\n${source}`);
  return loadModule(file, new ManualClock(0));
};
const context = {
  agent: "mooring",
  tenant: "default",
  idempotencyKey: "k",
  audience: { conversation: { channel: "web", room: "r", kind: "private" }, personId: "p-secret" },
} as unknown as ToolContext;

describe("given a module of the operator (T1)", () => {
  it("when it exports tools by name, in a list and by default, then the agent has each once", async () => {
    const { tools, problems } = await load(
      `export const a = ${tool()};\nexport const list = [${tool('name: "b"')}];\nexport const helper = () => 1;\nexport default a;`,
    );
    expect([tools.map(({ name }) => name).sort(), problems]).toEqual([["b", "double"], []]);
    expect(tools[0]?.needs).toBe("tool:double");
    expect(await tools.find(({ name }) => name === "double")?.run({ n: 4 }, context)).toBe("8");
  });

  it("when a tool runs, then it sees the call and the kind of conversation, and nothing of the person", async () => {
    const { tools } = await load(`export default ${tool("run: async (_, call) => JSON.stringify(call)")};`);
    const seen = String(await tools[0]?.run({ n: 1 }, context));
    expect(JSON.parse(seen)).toEqual({
      agent: "mooring",
      tenant: "default",
      idempotencyKey: "k",
      conversation: { channel: "web", kind: "private" },
    });
  });

  it("when a tool returns text, structured data and files, then the model gets text and data, and the files are kept", async () => {
    const run =
      'run: async () => ({ text: "t", structured: { a: 1 }, files: [{ name: "f", mediaType: "x/y", bytes: new Uint8Array(2) }] })';
    const { tools } = await load(`export default ${tool(run)};`);
    expect(await tools[0]?.run({ n: 1 }, context)).toMatchObject({ text: 't\n{"a":1}', files: [{ name: "f" }] });
  });

  it.each([
    ["", { repeatable: false }],
    ["repeatable: true", { repeatable: true }],
    ["destructive: true", { approval: { isDestructive: true } }],
    ['destructive: true, approval: "never"', {}],
    ['approval: "ask", timeoutMs: 5', { approval: { isDestructive: false }, deadlineMs: 5 }],
  ])("when a tool says %s, then its calls are treated so (T3, T4)", async (fields, expected) => {
    const { tools } = await load(`export default ${tool(fields)};`);
    expect(tools[0]).toMatchObject(expected);
    expect(tools[0]?.approval === undefined).toBe(!("approval" in expected));
  });

  it.each([
    ['throw new Error("no database");', "cannot be loaded: no database"],
    ["export default 1 +;", "cannot be loaded"],
    ["export const x = 1;", "exports no tool"],
    ["export default () => 1;", 'the export "default" is not a tool'],
    [`export default ${tool("contract: 2")};`, "was made for version 2 of the tool contract"],
    [`export default ${tool('name: "a b"')};`, '"name" must have 1 to 64 letters'],
    [`export default ${tool("input: z.string()")};`, "is not an object"],
    [`export default ${tool("input: z.object({ d: z.date() })")};`, "that is not a JSON schema"],
  ])("when its source is %s, then the operator learns that it %s", async (source, problem) => {
    const { tools, problems } = await load(source);
    expect(tools).toEqual([]);
    expect(problems.join("\n")).toContain(problem);
  });

  it("when a tool becomes destructive, then earlier approvals do not hold for it (T4)", async () => {
    const definitions = [];
    for (const [at, fields] of Object.entries(['approval: "ask"', 'approval: "ask", destructive: true'])) {
      // Node loads a file once, so each version has a folder of its own.
      const file = join(folder, at, "same.mjs");
      await mkdir(join(folder, at));
      await writeFile(file, `import { z } from ${JSON.stringify(ZOD)};\nexport default ${tool(fields)};`);
      const { tools } = await loadModule(file, new ManualClock(0));
      definitions.push(tools[0]?.approval?.definition);
    }
    expect(new Set(definitions).size).toBe(2);
  });

  it("when modules never finish loading, then they are reported after one time limit, and other tools work (T1)", async () => {
    const hanging = await Promise.all(
      ["first", "second"].map(async (name) => {
        const file = join(folder, `${name}.mjs`);
        await writeFile(file, "await new Promise(() => {});");
        return file;
      }),
    );
    const clock = new ManualClock(0);
    const settings = { tools: ToolsConfig.parse(hanging), fetchUrl: FetchUrlConfig.parse({}) };
    const opening = openTools({ clock, logger: silentLogger }, "mooring", settings);
    clock.advance(10_000);
    const { problems, listed } = await opening;
    const reason = "cannot be loaded: it did not load within 10 s";
    expect(problems).toEqual([`module first.mjs ${reason}`, `module second.mjs ${reason}`]);
    expect(listed.map(({ tool: { name } }) => name)).toEqual(["fetch_url"]);
  });

  it("when one of its tools has a fault, then the others work", async () => {
    const { tools, problems } = await load(`export const a = ${tool()};\nexport const b = ${tool("run: 1")};`);
    expect([tools.length, problems]).toEqual([1, ['the export "b" "run" must be a function']]);
  });
});
