import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { IDENTITY_KEY, newSecret, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
let repository: string;
const DAY_MS = 24 * 3_600_000;
const CALLER_TOKEN = newSecret();
const FILE_TOOLS = ["read_file", "write_file", "run_command"];

const isSubtask = ({ toolNames }: ModelRequest) => toolNames.includes("complete_subtask");

/** Does what the message says: "every 1 h" and "in 1 h" make a schedule, "work" starts a subtask that reads a file. */
const obeys = (request: ModelRequest) => {
  const { lastUserText: text, toolOutputs } = request;
  if (toolOutputs.length > 0) return says(toolOutputs.join("\n"));
  if (isSubtask(request)) return calls([{ name: "read_file", arguments: { path: "secret.env" } }]);
  const [when] = /^(?:every|in) 1 h$/.exec(text) ?? [];
  if (when !== undefined) {
    return calls([{ name: "schedule_task", arguments: { description: `about ${when}`, prompt: "go", when } }]);
  }
  if (text === "work") return calls([{ name: "spawn_subtask", arguments: { name: "part", prompt: "read it" } }]);
  return says("fine");
};

const config = () => {
  const agent = (name: string, more: object) => ({ name, model: models.named(name, obeys), ...more });
  const agents = [
    agent("default", { workspace: { repository }, pauseSchedulesAfterDays: 30 }),
    agent("granted", {
      workspace: { repository },
      rights: { anonymous: ["default", "schedule", "workspace"], member: [], "group:pilots": ["schedule"] },
      pauseSchedulesAfterDays: 1,
    }),
  ];
  const channels = agents.map(({ name }) => [name, { adapter: "web", agent: name, identityKey: IDENTITY_KEY }]);
  return {
    agents,
    channels: Object.fromEntries(channels),
    groups: { pilots: ["granted:ada"] },
    a2a: { callers: { crm: { token: CALLER_TOKEN } } },
  };
};

beforeAll(async () => {
  repository = await rig.folder();
  const git = (...args: string[]) => promisify(execFile)("git", ["-C", repository, ...args]);
  await git("init", "--quiet");
  await writeFile(join(repository, "secret.env"), "PASSWORD=hidden\n");
  await git("add", "secret.env");
  await git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "First");
  models = await rig.models();
  mooring = await rig.start(config());
});

let asked = 0;
/** Asks an agent; without a name, as an anonymous visitor. */
const asks = async (agent: string, text: string, person?: string): Promise<string> => {
  const client = mooring.client(`asker-${asked++}`, agent, person && visitorToken(person));
  return String((await client.answerTo(client.say(text))).markdown);
};
/** The requests of the subtasks of an agent, once the next one after `known` has arrived. */
const nextSubtask = async (agent: string, known: number): Promise<ModelRequest> => {
  const all = () => models.requests(agent).filter(isSubtask);
  await expect.poll(() => all().length).toBeGreaterThan(known);
  return all()[known] as ModelRequest;
};
const subtasksOf = (agent: string): number => models.requests(agent).filter(isSubtask).length;

describe("given agents with rights (R1)", () => {
  proves(
    ["agents[].rights", "groups"],
    "when people ask for a schedule that repeats, then their class, their group and the agent's settings decide",
    async () => {
      const refusal = "Not allowed here: this needs the right to make schedules that repeat (`schedule`).";
      expect(await asks("default", "every 1 h")).toContain(refusal);
      expect(await asks("default", "every 1 h", "ada")).toContain("Scheduled as");
      expect(await asks("granted", "every 1 h")).toContain("Scheduled as");
      expect(await asks("granted", "every 1 h", "ada")).toContain("Scheduled as");
      expect(await asks("granted", "every 1 h", "bea")).toContain("There is no tool");
    },
  );

  it("when an anonymous visitor asks for a reminder, then it is set", async () => {
    expect(await asks("default", "in 1 h")).toContain("Scheduled as");
  });

  it("when work on a repository is not granted, then subtasks of people and of agents have no access to it", async () => {
    for (const person of [undefined, "ada"]) {
      const known = subtasksOf("default");
      await asks("default", "work", person);
      const { toolNames } = await nextSubtask("default", known);
      expect(toolNames.filter((name) => FILE_TOOLS.includes(name))).toEqual([]);
    }
    const known = subtasksOf("default");
    const message = { messageId: "crm-1", role: "ROLE_USER", parts: [{ text: "work" }] };
    await fetch(`${mooring.address}/a2a/default`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${CALLER_TOKEN}`,
        "content-type": "application/json",
        "a2a-version": "1.0",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } }),
    });
    const { toolNames } = await nextSubtask("default", known);
    expect(toolNames.filter((name) => FILE_TOOLS.includes(name))).toEqual([]);
    expect(JSON.stringify(models.requests("default").map(({ body }) => body))).not.toContain("PASSWORD=hidden");
  });

  it("when it is granted, then subtasks read the repository, and no agent can merge: only a person can", async () => {
    await asks("granted", "work");
    expect((await nextSubtask("granted", 0)).toolNames).toEqual(expect.arrayContaining(FILE_TOOLS.slice(0, 2)));
    await expect
      .poll(() => JSON.stringify(models.requests("granted").map(({ body }) => body)))
      .toContain("PASSWORD=hidden");
    const names = new Set(models.requests("granted").flatMap(({ toolNames }) => toolNames));
    expect([...names].filter((name) => /merge/.test(name))).toEqual([]);
  });

  it("when a person without the right types the command of a button, then it is refused", async () => {
    const client = mooring.client("presser", "default");
    const answer = await client.answerTo(client.command("merge", "subtask-00000000"));
    expect(answer.markdown).toContain("this needs the right to work on the agent's repository (`workspace`)");
  });

  it("when the configuration is checked, then it prints who may do what with each agent", async () => {
    const { process } = await rig.run(config(), { command: "check" });
    expect(await process.exited).toEqual({ code: 0, signal: null });
    const shown = process.stdout();
    expect(shown).toContain("Rights with default:");
    expect(shown).toMatch(/anonymous +talk, delegate, remind \(on default\)/);
    expect(shown).toMatch(/member +talk, delegate, remind, schedule, remember, peers, confirm \(on default\)/);
    expect(shown).toMatch(/group:pilots +talk, schedule \(granted:ada, in addition\)/);
    expect(shown).toContain("no speaker may use the repository of default");
    expect(shown).not.toContain("no speaker may use the repository of granted");
  });

  proves(
    ["agents[].pauseSchedulesAfterDays"],
    "when people have not written for longer than configured, then their schedules pause and say so",
    async () => {
      await asks("default", "every 1 h", "cleo");
      const visitor = mooring.client("leaving", "granted");
      await visitor.answerTo(visitor.say("every 1 h"));
      await mooring.end();
      mooring = await rig.start(config(), { folder: mooring.folder, aheadMs: 3 * DAY_MS });
      const back = mooring.client("back", "granted", visitor.token);
      const paused = () => back.replies().map(({ markdown }) => String(markdown));
      await expect
        .poll(() => paused().join("\n"))
        .toMatch(
          /I paused the schedule "about every 1 h", because its owner has not written to me for 1 days\. Resume it with `\/schedules resume schedule-/,
        );
      const { items } = await mooring.admin<{ items: { agent: string; status: string }[] }>("schedules?limit=200");
      const statuses = (agent: string) =>
        new Set(items.filter((one) => one.agent === agent).map(({ status }) => status));
      expect(statuses("default")).toContain("active");
      expect(statuses("granted")).toEqual(new Set(["paused"]));
    },
  );
});
