import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startMooring } from "../e2e/mooring-process.ts";
import { WebClient } from "../fakes/web-client.ts";
import { projectRoot } from "../setup/project-files.ts";
import { type Installation, PACK_TIMEOUT_MS, PackedMooring } from "./packed-mooring.ts";

const run = promisify(execFile);
const tool = (path: string) => join(projectRoot, "node_modules", path);
const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));

let packed: PackedMooring;
let installed: Installation;
beforeAll(async () => {
  packed = await PackedMooring.pack({ types: true });
  installed = await packed.install("stranger");
}, PACK_TIMEOUT_MS);
afterAll(() => packed?.dispose());

/** An import of a package in a module, or in a script that the build made of one. */
const IMPORT =
  /^(?:(?:import|export)[^"'`;]*? from |var import_\w+ = (?:__toESM\()?require\()"(@[\w.-]+\/[\w.-]+|[a-z][\w.-]*)/gm;

describe("given the packed tarball (U5)", () => {
  it("then it has the program, library, types, schema, widget, licences and pages, and no source or test", () => {
    expect(packed.files).toEqual(
      expect.arrayContaining([
        "package.json",
        "LICENSE",
        "README.md",
        "docs/writing-an-adapter.md",
        "docs/nats-server.conf",
        "deploy/systemd/mooring.service",
        "dist/mooring.js",
        "dist/mooring.yaml",
        "dist/mooring.schema.json",
        "dist/widget.js",
        "dist/console.js",
        "dist/adapter.js",
        "dist/tool.js",
        "dist/testing.js",
        "dist/client.js",
        "dist/types/package/web.d.ts",
        "dist/types/package/adapter.d.ts",
        "dist/types/package/tool.d.ts",
        "dist/types/package/testing.d.ts",
        "dist/THIRD-PARTY-LICENSES.txt",
      ]),
    );
    const expected = /^(deploy|dist|docs|examples)\/|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
    expect(packed.files.filter((file) => !expected.test(file))).toEqual([]);
    expect(packed.files.filter((file) => /\.(map|png)$|(?<!\.d)\.ts$|^dist\/(compiled|test)\//.test(file))).toEqual([]);
  });

  it("then publint finds no problem", async () => {
    const { stdout } = await run(process.execPath, [tool("publint/src/cli.js"), "run", packed.tarball, "--strict"]);
    expect(stdout).toContain("All good!");
  });

  it("then its types resolve from ES modules and bundlers", async () => {
    const args = [packed.tarball, "--profile", "esm-only", "--no-definitely-typed", "--format", "json"];
    const { stdout } = await run(process.execPath, [tool("@arethetypeswrong/cli/dist/index.js"), ...args]);
    const { analysis } = JSON.parse(stdout);
    expect(Object.keys(analysis.entrypoints)).toEqual(["./adapter", "./tool", "./testing", "./web"]);
    const shown = analysis.problems.filter(
      ({ resolutionKind }: { resolutionKind: string }) => !["node10", "node16-cjs"].includes(resolutionKind),
    );
    expect(shown).toEqual([]);
  });

  it("then its dependencies are the packages that its files import, and nothing else", async () => {
    const imported = new Set<string>();
    for (const file of packed.files.filter((path) => /^dist\/.*\.(c?js|d\.ts)$/.test(path))) {
      const text = readFileSync(join(installed.folder, "node_modules/mooring", file), "utf8");
      for (const [, name] of text.matchAll(IMPORT)) if (name !== undefined) imported.add(name);
    }
    const needed = [...imported].map((name) => (name === "mdast" ? "@types/mdast" : name));
    expect(needed.filter((name) => name !== "node" && !isBuiltin(name)).sort()).toEqual(
      Object.keys(manifest.dependencies).sort(),
    );
  });
});

describe("given the package in an empty folder (U5)", () => {
  it("when npx runs it, then check passes and init writes a configuration that check accepts", async () => {
    expect(await installed.npx("mooring", "--version")).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
    const shipped = await installed.npx("mooring", "check");
    expect(shipped.stdout).toContain("The configuration is fine.");
    const init = await installed.npx("mooring", "init", "--yes", "--port", "0");
    expect(init).toMatchObject({ code: 0 });
    const own = await installed.npx("mooring", "check", "--config", "mooring.yaml");
    expect(own.stdout).toContain("The configuration is fine.");
  });

  it("when it starts, then it answers a message over a web socket and stops at Ctrl-C", async () => {
    await installed.npx("mooring", "init", "--yes", "--port", "0", "--output", "served.yaml");
    const mooring = startMooring(["start", "--config", "served.yaml"], { cwd: installed.folder, main: installed.main });
    const address = await mooring.running;
    const client = new WebClient("visitor", () => address);
    try {
      const answer = await client.answerTo(client.say("hello"));
      expect(answer.markdown).toContain("demo");
      expect((await fetch(`${address}/channels/web/widget.js`)).status).toBe(200);
    } finally {
      client.close();
      mooring.kill("SIGINT");
    }
    expect(await mooring.exited).toEqual({ code: 0, signal: null });
  });

  it.each(["mooring", "mooring/package.json", "mooring/dist/adapter.js", "mooring/dist/mooring.js", "mooring/core"])(
    "when a module imports %s, then that is refused",
    async (path) => {
      const ran = await installed.evaluate(`await import(${JSON.stringify(path)})`);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
    },
  );

  it("when a module imports the entry points, then it gets their functions", async () => {
    const ran = await installed.evaluate(`
      import { defineAdapter } from "mooring/adapter";
      import { defineTool } from "mooring/tool";
      import { channelAdapterContract } from "mooring/testing";
      import { createChat } from "mooring/web";
      console.log([defineAdapter, defineTool, channelAdapterContract, createChat].map((each) => typeof each).join());
    `);
    expect(ran).toMatchObject({ code: 0, stdout: "function,function,function,function\n" });
  });
});

const CONSUMER = `
import { type ChannelAdapter, channelFields, DeliveryFailed, defineAdapter, secret } from "mooring/adapter";
import { channelAdapterContract, testContext, type TestRunner } from "mooring/testing";
import { defineTool } from "mooring/tool";
import { type Chat, createChat } from "mooring/web";
import { z } from "zod";

const config = z.strictObject({ adapter: z.literal("paper"), ...channelFields, token: secret() });

export default defineAdapter({
  contract: 1,
  id: "paper",
  label: "Paper",
  config,
  questions: [],
  async create({ token, agent }, { channel }): Promise<ChannelAdapter> {
    const revealed: string = token.reveal();
    const name: string | undefined = agent;
    return {
      channel,
      capabilities: { connection: "shared", resend: "repeats" },
      async start() {},
      async deliver() {
        throw new DeliveryFailed("rejected", revealed + name);
      },
      async stop() {},
    };
  },
});

export const tool = defineTool({
  name: "double",
  description: "Doubles a number.",
  input: z.object({ value: z.number() }),
  run: async ({ value }, { signal }) => (signal.aborted ? "" : String(value * 2)),
});

const chat: Chat = createChat({ url: "http://localhost:8080/channels/web/", token: async () => "signed" });
for (const entry of chat.getSnapshot().entries) if (entry.type === "reply" && entry.anchor) chat.send(entry.anchor.text);

declare const runner: TestRunner;
channelAdapterContract("paper", async () => { throw new Error(testContext({ channel: "paper" }).channel); }, runner);

// @ts-expect-error A snapshot is never changed.
chat.getSnapshot().draft = "text";
// @ts-expect-error The version of the contract is part of a definition.
defineAdapter({ id: "paper", label: "Paper", config, questions: [], create: async () => { throw new Error(); } });
// @ts-expect-error The input of a tool has the type of its schema.
defineTool({ name: "x", description: "x", input: z.object({ a: z.string() }), run: async ({ b }) => b });
`;

describe("given a module in TypeScript that uses the library (C7, U5)", () => {
  it.each([
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ])(
    "when it is compiled with module %s and resolution %s, then its types are those of the library",
    async (module, resolution) => {
      await installed.write("consumer.ts", CONSUMER);
      await installed.write(`tsconfig.${resolution}.json`, {
        compilerOptions: {
          module,
          moduleResolution: resolution,
          target: "es2022",
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          skipLibCheck: false,
          types: ["node"],
          typeRoots: [tool("@types")],
        },
        files: ["consumer.ts"],
      });
      const ran = await installed.node(tool("typescript/bin/tsc"), "-p", `tsconfig.${resolution}.json`);
      expect(ran).toMatchObject({ code: 0, stdout: "" });
    },
  );
});

describe("given the examples and the guide of the web client, in JavaScript with types in comments (C7)", () => {
  it("when the compiler checks them against the package, then it finds no problem", async () => {
    cpSync(join(projectRoot, "examples"), join(installed.folder, "examples"), { recursive: true });
    await installed.link(
      "vitest",
      "react",
      "react-dom",
      "@types/react",
      "@types/react-dom",
      "ws",
      "@types/ws",
      "@types/node",
    );
    const compilerOptions = {
      target: "es2023",
      strict: true,
      allowJs: true,
      checkJs: true,
      noEmit: true,
      skipLibCheck: true,
      typeRoots: [tool("@types")],
    };
    await installed.write("tsconfig.node.json", {
      compilerOptions: { ...compilerOptions, module: "nodenext", types: ["node"] },
      include: ["examples"],
      exclude: ["examples/web-*"],
    });
    await installed.write("tsconfig.web.json", {
      compilerOptions: {
        ...compilerOptions,
        module: "esnext",
        moduleResolution: "bundler",
        lib: ["es2023", "dom", "dom.iterable"],
        jsx: "react-jsx",
        types: [],
      },
      include: ["examples/web-*", "guide"],
    });
    const guide = readFileSync(join(projectRoot, "docs/web-client.md"), "utf8");
    const blocks = [...guide.matchAll(/^ *```(jsx?)\n([\s\S]*?)^ *```$/gm)];
    expect(blocks.length).toBeGreaterThan(3);
    for (const [index, [, type, code = ""]] of blocks.entries()) {
      const chat = 'import { createChat } from "mooring/web";\nconst chat = createChat({ url: "" });\n';
      await installed.write(
        `guide/${index}.${type}`,
        code.includes("createChat") ? code : `${chat}${code}\nexport {};\n`,
      );
    }
    for (const project of ["node", "web"]) {
      const ran = await installed.node(tool("typescript/bin/tsc"), "-p", `tsconfig.${project}.json`);
      expect(ran).toMatchObject({ stdout: "", code: 0 });
    }
  });
});
