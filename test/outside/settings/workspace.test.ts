import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect } from "vitest";
import { calls, type ModelAnswer, neverAnswers, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
let repository: string;
const DAY_MS = 24 * 3_600_000;
/** Longer than the default, and shorter than the time for which git's lock delays the end of a subtask. */
const GRACE_MS = 9_000;
const CEILING_MS = 1_500;

const SHOW = ["sh", "-c", "echo harbour is $HARBOUR"];
const SLEEP = ["sleep", "60"];
/** Blocks git at the end of a subtask for ten seconds. */
const LOCK = ["sh", "-c", 'touch "$(git rev-parse --git-path index.lock)"'];

const isSubtask = ({ toolNames }: ModelRequest) => toolNames.includes("complete_subtask");
const isContinuation = ({ lastUserText }: ModelRequest) => lastUserText.startsWith("[");
const run = (command: readonly string[]) => calls([{ name: "run_command", arguments: { command } }]);
/** Starts one subtask that runs a command in the repository, and then continues. */
const working =
  (command: readonly string[], rest: () => ModelAnswer = () => says("done")) =>
  (request: ModelRequest) => {
    if (isSubtask(request)) return request.toolOutputs.length > 0 ? rest() : run(command);
    if (isContinuation(request) || request.toolOutputs.length > 0) return says(request.toolOutputs.join() || "Ended.");
    return calls([{ name: "spawn_subtask", arguments: { name: "part", prompt: "work" } }]);
  };

const config = () => {
  const agent = (
    name: string,
    script: (request: ModelRequest) => ModelAnswer,
    workspace: object,
    delegation: object = {},
  ) => ({
    name,
    model: models.named(name, script),
    delegation,
    workspace: { repository, commands: [SHOW, SLEEP, LOCK], ...workspace },
    rights: { anonymous: ["default", "workspace"] },
  });
  const agents = [
    agent("shown", working(SHOW), { environment: { HARBOUR: "open" }, folder: "./trees", keepDays: 1 }),
    agent("plain", working(SHOW), {}),
    agent("without", working(SHOW), { commands: [] }),
    agent("short", working(SLEEP), { commandSeconds: 1 }),
    agent("no-grace", working(LOCK, neverAnswers), {}, { interactiveCeilingMs: CEILING_MS, graceMs: 0 }),
    agent("grace", working(LOCK, neverAnswers), {}, { interactiveCeilingMs: CEILING_MS, graceMs: GRACE_MS }),
  ];
  const channels = Object.fromEntries(agents.map(({ name }) => [name, { adapter: "web", agent: name }]));
  return { agents, channels };
};

beforeAll(async () => {
  repository = await rig.folder();
  const git = (...args: string[]) => promisify(execFile)("git", ["-C", repository, ...args]);
  await git("init", "--quiet");
  await writeFile(join(repository, "README"), "A harbour.\n");
  await git("add", "README");
  await git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "First");
  models = await rig.models();
  mooring = await rig.start(config());
});

const ask = async (agent: string) => {
  const visitor = mooring.client("visitor", agent);
  await visitor.answerTo(visitor.say("work on it"));
};
/** The result of the command in the subtask of an agent. */
const output = async (agent: string) => {
  await ask(agent);
  const found = () => models.requests(agent).find((request) => isSubtask(request) && request.toolOutputs.length > 0);
  await expect.poll(found).toBeDefined();
  return found()?.toolOutputs.join();
};
const ended = (agent: string) => expect.poll(() => models.requests(agent).some(isContinuation)).toBe(true);
const trees = async (folder: string) => (existsSync(folder) ? readdir(folder) : []);

describe("given agents whose subtasks work on a repository", () => {
  proves(
    [
      "agents[].workspace.repository",
      "agents[].workspace.folder",
      "agents[].workspace.commands",
      "agents[].workspace.commandSeconds",
      "agents[].workspace.environment",
    ],
    "when subtasks run commands there, then the configured commands, folder, timeout and environment apply",
    async () => {
      expect(await output("shown")).toContain("harbour is open");
      expect(await output("plain")).toMatch(/harbour is\s*$/m);
      expect(await output("plain")).not.toContain("open");
      expect(await output("without")).not.toContain("harbour is");
      expect(await output("short")).toContain("it took longer than 1 s");
      const branches = (await promisify(execFile)("git", ["-C", repository, "branch", "--list", "mooring/*"])).stdout;
      expect(branches).toContain("mooring/subtask-");
      expect(await trees(join(mooring.folder, "trees"))).toHaveLength(1);
      expect(await trees(join(mooring.folder, "data/workspaces/plain"))).not.toEqual([]);
    },
  );

  proves(
    ["agents[].delegation.graceMs"],
    "when a stopped subtask does not end, then the answer waits for the configured grace time",
    async () => {
      const tookMs = async (agent: string) => {
        await ask(agent);
        const startedAt = performance.now();
        await ended(agent);
        return performance.now() - startedAt;
      };
      const [short, long] = await Promise.all([tookMs("no-grace"), tookMs("grace")]);
      // The ceiling counts from a moment before the answer arrives.
      expect(long).toBeGreaterThan(GRACE_MS + CEILING_MS / 2);
      expect(short).toBeLessThan(long);
    },
  );

  proves(
    ["agents[].workspace.keepDays"],
    "when it starts two days later, then worktrees that are kept for a day are deleted, and others are not",
    async () => {
      await Promise.all([ended("shown"), ended("plain")]);
      await mooring.end();
      const kept = join(mooring.folder, "data/workspaces/plain");
      const before = await trees(kept);
      mooring = await rig.start(config(), { folder: mooring.folder, aheadMs: 2 * DAY_MS });
      await expect.poll(() => trees(join(mooring.folder, "trees"))).toEqual([]);
      expect(await trees(kept)).toEqual(before);
    },
  );
});
