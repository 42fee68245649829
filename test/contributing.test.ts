import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../adapters/adapter-list.ts";
import { commands } from "../core/commands/commands.ts";
import { providers } from "../core/model/providers/index.ts";
import { intakeNamesNoFeature, type Kind, placesThatList, unlisted } from "./architecture/list-rules.ts";
import type { SourceFile } from "./architecture/source-file.ts";
import { builtInTools } from "./fakes/built-in-tools.ts";
import { projectFiles, projectRoot } from "./setup/project-files.ts";

const read = (path: string): string => readFileSync(`${projectRoot}${path}`, "utf8");
const source: readonly SourceFile[] = projectFiles()
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: read(path) }));

/** The folder of `core/` that a file is in. */
const partOf = (path: string): string | undefined => /^core\/[\w-]+(?=\/)/.exec(path)?.[0];

/** The protocol of calling agents has the same name as the provider of agents elsewhere. */
const PROTOCOL_PARTS = [
  "core/a2a/",
  "gateway/a2a/",
  "gateway/agent-config.ts",
  "gateway/http/sign-in-guard.ts",
  "config/problems/check-references.ts",
];

const kinds: Readonly<Record<string, Kind>> = {
  tool: {
    list: "core/agent-tools.ts",
    isMemberFile: /^core\/.*-tools?\.ts$/,
    homeOf: (path) => (/-tools?\.ts$/.test(path) ? partOf(path) : undefined),
    // A name of one word is also an ability or a method elsewhere.
    names: builtInTools.map(({ name }) => name).filter((name) => name.includes("_")),
    mayName: { "core/model/demo/": "plays a model, and models call tools by name" },
  },
  command: {
    list: "core/commands/commands.ts",
    homeOf: (path) => (path.startsWith("core/commands/") ? path : undefined),
    names: commands.map(({ name }) => name),
    areWords: true,
  },
  "turn source": {
    list: "core/turn-features.ts",
    homeOf: partOf,
  },
  "model provider": {
    list: "core/model/providers/index.ts",
    isMemberFile: /^core\/model\/providers\//,
    homeOf: (path) => path,
    names: providers.map(({ id }) => id),
    mayName: {
      "core/model/demo/": "the demo provider's own folder",
      "config/problems/check-credentials.ts": 'lists "demo" among weak passwords',
      ...Object.fromEntries(PROTOCOL_PARTS.map((path) => [path, 'spells settings or routes of the protocol "a2a"'])),
    },
  },
  channel: {
    list: "adapters/adapter-list.ts",
    isMemberFile: /^adapters\/(?!contract\/)[\w-]+\/index\.ts$/,
    homeOf: (path) => posix.dirname(path),
    names: adapters.map(({ id }) => id),
  },
  "admin routes": {
    list: "gateway/admin/admin-routes.ts",
    isMemberFile: /^gateway\/admin\/routes\//,
    homeOf: (path) => (path.endsWith("-request.ts") ? undefined : path),
  },
};

describe.each(Object.entries(kinds))("given every %s", (_, kind) => {
  it(`then ${kind.list} is the only list, and names all of them`, () => {
    expect(placesThatList(kind, source)).toEqual([kind.list]);
    expect(unlisted(kind, source)).toEqual([]);
  });
});

describe("given the recipes of CONTRIBUTING.md", () => {
  const recipe = (name: string): string[] => {
    const row = read("CONTRIBUTING.md")
      .split("\n")
      .find((line) => line.startsWith(`| ${name} `));
    return [...(row ?? "").matchAll(/`([\w./<>-]+\/[\w./<>-]*)`/g)].map(([, path = ""]) => path);
  };

  it.each(["tool", "command", "turn source", "model provider", "channel"])(
    "then a %s is its own file and the list",
    (name) => {
      const paths = recipe(name);
      expect(paths).toHaveLength(2);
      expect(paths[1]).toBe(kinds[name]?.list);
    },
  );

  it("then an admin route is its types and its handler, each endpoint in one file of either", () => {
    expect(recipe("admin route")).toEqual(["gateway/admin-api/<group>.ts", "gateway/admin/routes/<group>-routes.ts"]);
    const inFolder = (folder: string) => source.filter(({ path }) => path.startsWith(folder));
    const typed = inFolder("gateway/admin-api/").flatMap(({ text }) =>
      [...text.matchAll(/interface \w+Answers \{(.*?)\n\}/gs)].flatMap(([, body = ""]) =>
        [...body.matchAll(/^ {2}"([A-Z]+ [^"]+)":/gm)].map(([, endpoint]) => endpoint),
      ),
    );
    const handled = inFolder("gateway/admin/").flatMap(({ text }) =>
      [...text.matchAll(/adminRoute\(scope, "([A-Z]+ [^"]+)"/g)].map(([, endpoint]) => endpoint),
    );
    expect(typed.length).toBeGreaterThan(15);
    expect(new Set(typed).size).toBe(typed.length);
    expect(new Set(handled).size).toBe(handled.length);
    expect(typed).toEqual(expect.arrayContaining(handled));
  });
});

describe("given a second list of a kind, then it is reported", () => {
  it.each([
    ["tool", 'import { memoryTools } from "./memory/memory-tools.ts";', "core/second.ts"],
    ["tool", 'import { memoryTools } from "../memory/index.ts";', "core/turns/second.ts"],
    ["tool", 'const SPAWNING = ["spawn_subtask", "message_subtask"];', "core/turns/second.ts"],
    ["tool", "const PROMPT = `Call schedule_task.`;", "gateway/second.ts"],
    ["command", 'import { why } from "./why.ts";', "core/commands/second.ts"],
    ["command", 'const MENU = ["why", "status", "cancel"];', "adapters/slack/second.ts"],
    ["turn source", 'import { subtaskTurns } from "../subtasks/index.ts";', "core/intake/second.ts"],
    ["model provider", 'import { anthropic } from "./anthropic.ts";', "core/model/providers/second.ts"],
    ["model provider", 'if (provider === "openai-compatible") x();', "gateway/check/second.ts"],
    ["channel", 'import { slack } from "../adapters/slack/index.ts";', "gateway/second.ts"],
    ["channel", 'const KNOWN = ["slack", "discord"];', "config/second.ts"],
    ["admin routes", 'import { peopleRoutes } from "./routes/people-routes.ts";', "gateway/admin/second.ts"],
  ])("%s: %s", (name, text, path) => {
    const kind = kinds[name] as Kind;
    expect(placesThatList(kind, [...source, { path, text }])).toEqual([kind.list, path]);
  });

  it.each([
    ["tool", "core/lib/clock-tool.ts"],
    ["model provider", "core/model/providers/second.ts"],
    ["channel", "adapters/matrix/index.ts"],
    ["admin routes", "gateway/admin/routes/second-routes.ts"],
  ])("and a %s that the list does not name: %s", (name, path) => {
    expect(unlisted(kinds[name] as Kind, [...source, { path, text: "" }])).toEqual([path]);
  });
});

describe("given intake", () => {
  it("then it names no feature", () => {
    expect(intakeNamesNoFeature(source)).toEqual([]);
  });

  it.each(['import { x } from "../a2a/index.ts";', 'if (synthetic.type === "callback") x();'])(
    "when it does, then it is reported: %s",
    (text) => {
      expect(intakeNamesNoFeature([{ path: "core/intake/second.ts", text }])).toHaveLength(1);
    },
  );
});

describe("given CONTRIBUTING.md", () => {
  it("then README and the architecture lead to it, and it is short", () => {
    expect(read("README.md")).toContain("(CONTRIBUTING.md)");
    expect(read("docs/architecture.md")).toContain("(../CONTRIBUTING.md)");
    expect(read("CONTRIBUTING.md").split("\n").length).toBeLessThanOrEqual(150);
  });

  it("then its commands are the package's", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const named = [...read("CONTRIBUTING.md").matchAll(/npm (?:run ([\w:]+)|(start|test)\b)/g)].map(
      ([, run, own]) => run ?? own ?? "",
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((command) => !(command in scripts))).toEqual([]);
  });
});
