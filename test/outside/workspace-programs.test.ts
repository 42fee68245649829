import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { calls, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
let model: ScriptedModelServer;
afterEach(async () => {
  await product.dispose();
  await model.stop();
});

/** A repository with one commit, and a program in its folder that leaves `canary` when it runs. */
const prepare = (folder: string): { repository: string; command: string[] } => {
  const [repository, program] = [join(folder, "repository"), join(folder, "program")];
  mkdirSync(repository);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, stdio: "ignore" });
  git("init", "--quiet", "--initial-branch", "main");
  writeFileSync(join(repository, "README.md"), "one\n");
  git("add", "--all");
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "--quiet", "--message", "first");
  writeFileSync(program, `#!/bin/sh\ntouch "${folder}/canary"\nexec cat\n`);
  chmodSync(program, 0o755);
  git("config", "filter.first.clean", program);
  git("config", "filter.first.smudge", program);
  return { repository, command: ["git", "config", "filter.second.clean", program] };
};

const subtaskSteps = (command: string[]) => [
  { name: "run_command", arguments: { command } },
  {
    name: "write_file",
    arguments: {
      path: ".gitattributes",
      content: "*.md filter=first\n*.txt filter=second\n.gitattributes filter=first\n",
    },
  },
  { name: "write_file", arguments: { path: "README.md", content: "two\n" } },
  { name: "write_file", arguments: { path: "new.txt", content: "new\n" } },
];

const script =
  (command: string[]) =>
  ({ toolNames, toolOutputs, lastUserText }: ModelRequest) => {
    if (toolNames.includes("write_file")) {
      const step = subtaskSteps(command)[toolOutputs.length];
      return step ? calls([step]) : says("written");
    }
    if (lastUserText === "change it" && toolOutputs.length === 0) {
      return calls([{ name: "spawn_subtask", arguments: { name: "tides", prompt: "change the files" } }]);
    }
    return says("on it");
  };

describe("given an agent whose subtasks work on a repository that configures filters", () => {
  it("when one chooses a filter by attributes and another by a command, then neither runs (S12)", async () => {
    product = await Product.create({ backbone: "embedded" });
    const { repository, command } = prepare(product.folder);
    model = await ScriptedModelServer.start(script(command));
    const provider = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" };
    const workspace = { repository, commands: [command] };
    const mooring = await product.start("start", {
      agents: [{ name: "mooring", model: provider, workspace, rights: { anonymous: ["default", "workspace"] } }],
    });
    await mooring.ready();

    const visitor = product.client("visitor", mooring.address);
    visitor.say("change it");
    const offered = () => visitor.log.flatMap(({ actions }) => actions ?? []).find(({ name }) => name === "merge");
    await visitor.until(() => offered() !== undefined, "the changes");
    const merged = await visitor.answerTo(visitor.command("merge", offered()?.value ?? ""));

    expect(merged.markdown).toContain("Merged into main");
    expect(readFileSync(join(repository, "README.md"), "utf8")).toBe("two\n");
    expect(readFileSync(join(repository, ".git/config"), "utf8")).toContain("second");
    expect(existsSync(join(product.folder, "canary"))).toBe(false);
  });
});
