import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Tool, ToolContext } from "../../../core/contract/tool.ts";
import { fileTools } from "../../../core/workspaces/file-tools.ts";
import { ScratchRepository } from "./scratch-repository.ts";

const ID = "subtask-00000001";
const SECRET = "a secret text";
const context = {
  delegationContext: { subtaskId: ID },
  signal: new AbortController().signal,
} as unknown as ToolContext;

let repository: ScratchRepository;
let root: string;
let tools: Map<string, Tool>;
beforeEach(() => open());
afterEach(() => repository.remove());

/** A limit that no command of these tests reaches, unless the test is about the limit. */
const open = async (commandSeconds = 60): Promise<void> => {
  repository = new ScratchRepository({ "README.md": "tides and knots\n", "src/tides.ts": "high\nlow\n" });
  const commands = [
    ["node", "-e", "console.log(process.cwd(), Object.keys(process.env).join())"],
    ["sleep", "60"],
    ["yes"],
  ];
  const workspaces = repository.workspaces({ commands, commandSeconds });
  root = await workspaces.open({ id: ID, name: "knots", workspace: { base: await workspaces.base() } });
  tools = new Map(fileTools(workspaces).map((tool) => [tool.name, tool]));
};

const use = (name: string, input: object) => (tools.get(name) as Tool).run(input, context);

describe("given a workspace", () => {
  it("when the agent writes files, then it can read, list and find them (S12)", async () => {
    await use("write_file", { path: "src/deep/knots.ts", content: "bowline\nclove hitch\n" });
    expect(await use("read_file", { path: "src/deep/knots.ts" })).toBe("bowline\nclove hitch\n");
    expect(await use("read_file", { path: "src/deep/knots.ts", firstLine: 2, lines: 1 })).toMatch(
      /^clove hitch\n\[1 more/,
    );
    expect(await use("list_files", {})).toBe("README.md\nsrc/deep/knots.ts\nsrc/tides.ts");
    expect(await use("list_files", { folder: "src/deep" })).toBe("src/deep/knots.ts");
    expect(await use("search_files", { text: "hitch" })).toBe("src/deep/knots.ts:2:clove hitch");
    expect(await use("search_files", { text: ".*" })).toBe("Nothing was found.");
  });

  it("when a shorter text replaces a longer one, then nothing of the longer one remains", async () => {
    await use("write_file", { path: "README.md", content: "short" });
    expect(readFileSync(join(root, "README.md"), "utf8")).toBe("short");
  });

  it("when a file is too large, not a text or missing, then the error says so", async () => {
    writeFileSync(join(root, "large"), "x".repeat(300_000));
    writeFileSync(join(root, "binary"), Buffer.from([1, 0, 2]));
    await expect(use("read_file", { path: "large" })).rejects.toThrow("300000 bytes");
    await expect(use("read_file", { path: "binary" })).rejects.toThrow("is not a text file");
    await expect(use("read_file", { path: "absent" })).rejects.toThrow("cannot be opened (ENOENT)");
    await expect(use("write_file", { path: "README.md/x", content: "" })).rejects.toThrow("cannot be created");
    await expect(use("write_file", { path: "", content: "" })).rejects.toThrow("Name a file");
  });

  it("when a command is allowed, then it runs in the workspace, and its environment has no secret", async () => {
    process.env.PLANTED_TOKEN = SECRET;
    const [allowed] = [["node", "-e", "console.log(process.cwd(), Object.keys(process.env).join())"]];
    const output = await use("run_command", { command: allowed });
    delete process.env.PLANTED_TOKEN;
    expect(output).toMatch(/^Exit code 0\.\n/);
    expect(output).toContain(root);
    expect(output).not.toContain("PLANTED_TOKEN");
  });

  it("when a command is not exactly an allowed one, then it does not run", async () => {
    for (const command of [["rm", "-rf", "/"], ["sleep", "60", "1"], ["sleep"], ["sleep 60"]]) {
      await expect(use("run_command", { command })).rejects.toThrow("not allowed. Allowed:");
    }
  });

  it("when a command takes too long, then it is stopped; when it prints too much, then its output is cut", async () => {
    repository.remove();
    await open(1);
    expect(await use("run_command", { command: ["sleep", "60"] })).toContain("It did not end: it took longer than 1 s");
    expect(String(await use("run_command", { command: ["yes"] })).length).toBeLessThan(31_000);
  });
});

describe("given links to files outside, and git's own files", () => {
  const plant = () => {
    const outside = join(repository.folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), SECRET);
    symlinkSync(outside, join(root, "folder"));
    symlinkSync(join(outside, "secret"), join(root, "file"));
    symlinkSync(join(outside, "new"), join(root, "dangling"));
    linkSync(join(outside, "secret"), join(root, "hard"));
    return outside;
  };

  it("when any path is tried, then no tool reads, changes or creates a file outside (S12)", async () => {
    const outside = plant();
    const git = readFileSync(join(root, ".git"), "utf8");
    const step = fc.constantFrom(
      "..",
      ".",
      "",
      "folder",
      "file",
      "dangling",
      "hard",
      "secret",
      "new",
      ".git",
      ".GIT",
      "src",
      "a\0",
    );
    const path = fc.oneof(
      fc.array(step, { minLength: 1, maxLength: 6 }).map((steps) => steps.join("/")),
      fc.constantFrom(
        join(outside, "secret"),
        `${root}/../../outside/secret`,
        "file",
        "hard",
        "dangling",
        "folder/new",
      ),
    );
    await fc.assert(
      fc.asyncProperty(path, async (tried) => {
        const outputs = await Promise.all(
          [
            use("read_file", { path: tried }),
            use("write_file", { path: tried, content: "mine" }),
            use("list_files", { folder: tried }),
            use("search_files", { text: "secret", folder: tried }),
          ].map((one) => one.catch(String)),
        );
        expect(outputs.join("\n")).not.toContain(SECRET);
        expect(readFileSync(join(outside, "secret"), "utf8")).toBe(SECRET);
        expect(existsSync(join(outside, "new"))).toBe(false);
        expect(readFileSync(join(root, ".git"), "utf8")).toBe(git);
        expect(existsSync(join(repository.folder, "mine"))).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});
