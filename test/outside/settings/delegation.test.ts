import { beforeAll, describe, expect } from "vitest";
import { calls, type ModelAnswer, neverAnswers, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
/** Shorter than the default ceilings. */
const SOON_MS = 60_000;

const isSubtask = ({ toolNames }: ModelRequest) => toolNames.includes("complete_subtask");
const isContinuation = ({ lastUserText }: ModelRequest) => lastUserText.startsWith("[");
const spawns = (count: number) =>
  calls([
    {
      name: "spawn_parallel_subtasks",
      arguments: { tasks: Array.from({ length: count }, (_, at) => ({ name: `part ${at}`, prompt: "look" })) },
    },
  ]);
/** Delegates two subtasks in each turn, and reports their results. */
const delegating = (subtask: () => ModelAnswer) => (request: ModelRequest) => {
  if (isSubtask(request)) return subtask();
  return request.toolOutputs.length > 0 ? says(`Delegated: ${request.toolOutputs.join(" ")}`) : spawns(2);
};
/** Delegates only for a person's message; a continuation only repeats its prompt. */
const once = (subtask: () => ModelAnswer) => (request: ModelRequest) =>
  isContinuation(request) ? says(request.lastUserText) : delegating(subtask)(request);

beforeAll(async () => {
  models = await rig.models();
  const done = () => says("done");
  const schedules = [{ name: "yearly", description: "Yearly", prompt: "Look at it all.", when: "0 0 1 1 *" }];
  const agent = (name: string, delegation: object, script = once(done)) => ({
    name,
    model: models.named(name, script),
    delegation,
    home: { channel: name, room: "lobby" },
    schedules,
  });
  const agents = [
    agent("plain", {}),
    agent("shallow", { depthBelowAgent: 0, depthBelowOrchestrator: 0 }),
    agent("deep", { depthBelowAgent: 2, depthBelowOrchestrator: 1 }),
    agent("one-running", { running: 1 }, once(neverAnswers)),
    agent("one-per-turn", { perTurn: 1 }),
    agent("one-per-minute", { perMinute: 1 }),
    agent("once-again", { continuations: 0 }, delegating(done)),
    agent("again", { continuations: 2 }, delegating(done)),
    agent("brief", { interactiveCeilingMs: 500, backgroundCeilingMs: 500, graceMs: 0 }, once(neverAnswers)),
  ];
  const channels = Object.fromEntries(agents.map(({ name }) => [name, { adapter: "web", agent: name }]));
  mooring = await rig.start({ agents, channels });
});

/** Sends a message to the agent and resolves to its answer. */
const ask = async (agent: string) => {
  const visitor = mooring.client("visitor", agent);
  return (await visitor.answerTo(visitor.say("look into it"))).markdown;
};
const runSchedule = async (agent: string) => {
  const { items } = await mooring.admin<{ items: { ref: string }[] }>(`schedules?agent=${agent}`);
  await mooring.admin(`schedules/${items[0]?.ref}/run`, { method: "POST" });
};
const isScheduled = ({ lastUserText }: ModelRequest) => lastUserText.includes("Scheduled task");
const untilAsked = async (agent: string, is: (request: ModelRequest) => boolean, withinMs?: number) => {
  const find = () => models.requests(agent).find(is);
  await expect.poll(find, withinMs === undefined ? {} : { timeout: withinMs }).toBeDefined();
  return find() as ModelRequest;
};

describe("given agents with different limits for delegation", () => {
  proves(
    ["agents[].delegation.perMinute"],
    "when people ask for more subtasks than may start in a minute, then the rest is refused",
    async () => {
      expect(await ask("one-per-minute")).toContain(
        "Refused 1 of 2: at most 1 subtasks may be started within a minute",
      );
      expect(await ask("plain")).not.toContain("Refused");
    },
  );

  proves(
    ["agents[].delegation.depthBelowAgent"],
    "when people ask them, then each delegates down to its depth limit",
    async () => {
      expect(await ask("shallow")).toContain("may not nest deeper");
      expect(await ask("plain")).toContain("Accepted");
      expect(await ask("deep")).toContain("Accepted");
      expect((await untilAsked("plain", isSubtask)).toolNames).not.toContain("spawn_subtask");
      expect((await untilAsked("deep", isSubtask)).toolNames).toContain("spawn_subtask");
    },
  );

  proves(
    ["agents[].delegation.depthBelowOrchestrator"],
    "when a schedule runs them, then each delegates down to its depth limit for background work",
    async () => {
      const isAnswered = (request: ModelRequest) => isScheduled(request) && request.toolOutputs.length > 0;
      await runSchedule("shallow");
      expect((await untilAsked("shallow", isAnswered)).toolOutputs.join()).toContain("may not nest deeper");
      const before = { plain: models.requests("plain").length, deep: models.requests("deep").length };
      await Promise.all([runSchedule("plain"), runSchedule("deep")]);
      const later = (agent: "plain" | "deep") =>
        untilAsked(agent, (request) => isSubtask(request) && models.requests(agent).indexOf(request) >= before[agent]);
      expect((await later("plain")).toolNames).toContain("spawn_subtask");
      expect((await later("deep")).toolNames).not.toContain("spawn_subtask");
    },
  );

  proves(
    ["agents[].delegation.running", "agents[].delegation.perTurn"],
    "when they delegate two subtasks at once, then those with a limit of one get one",
    async () => {
      expect(await ask("plain")).not.toContain("Refused");
      expect(await ask("one-running")).toContain("Refused 1 of 2: at most 1 subtasks may be under way");
      expect(await ask("one-per-turn")).toContain("Refused 1 of 2: one request may have 1 subtasks in all");
    },
  );

  proves(
    ["agents[].delegation.continuations"],
    "when they delegate again with each result, then the configured number of continuations may delegate",
    async () => {
      const refusedAfter = async (agent: string) => {
        await ask(agent);
        const isRefused = ({ toolOutputs }: ModelRequest) =>
          toolOutputs.some((output) => output.includes("delegated again"));
        await untilAsked(agent, isRefused);
        return models.requests(agent).filter((request) => isContinuation(request) && request.toolOutputs.length === 0);
      };
      expect(await refusedAfter("once-again")).toHaveLength(1);
      expect(await refusedAfter("again")).toHaveLength(3);
    },
  );

  proves(
    ["agents[].delegation.interactiveCeilingMs", "agents[].delegation.backgroundCeilingMs"],
    "when subtasks do not end, then the answer is made without them after the configured ceiling",
    async () => {
      await ask("brief");
      await untilAsked("brief", isContinuation, SOON_MS);
      const answered = models.requests("brief").filter(isContinuation).length;
      await runSchedule("brief");
      await expect
        .poll(() => models.requests("brief").filter(isContinuation).length, { timeout: SOON_MS })
        .toBeGreaterThan(answered);
    },
  );
});
