import { beforeAll, describe, expect } from "vitest";
import { calls, Gate, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;

const isSubtask = ({ toolNames }: Pick<ModelRequest, "toolNames">) => toolNames.includes("complete_subtask");

const gate = new Gate();

/** Delegates, schedules or makes a note on request, and otherwise answers with about 100 bytes. */
const script = ({ lastUserText, toolNames, toolOutputs }: ModelRequest) => {
  if (isSubtask({ toolNames })) return says("done");
  if (toolOutputs.length > 0) return says(toolOutputs.join(" "));
  if (lastUserText === "delegate") {
    const tasks = ["a", "b"].map((name) => ({ name, prompt: "look" }));
    return calls([{ name: "spawn_parallel_subtasks", arguments: { tasks } }]);
  }
  if (lastUserText === "remind") {
    const input = { description: "Tea", prompt: "drink tea", when: "in 3 h" };
    return calls([{ name: "schedule_task", arguments: input }]);
  }
  if (lastUserText === "long") return says([gate, "at last"]);
  return says("an answer ".repeat(10));
};

/** One limit each, of the agent and of a tenant. */
const cases: Record<string, object> = {
  turns: { turnsPerDay: 1 },
  tokens: { tokensPerDay: 100 },
  cost: { costPerDay: 0.000001 },
  bytes: { storedBytesPerDay: 200 },
  subtasks: { subtasksPerDay: 1, unattendedShare: 1 },
  "at-once": { subtasksAtOnce: 1 },
  line: { turnsAtOnce: 1 },
  reminders: { schedulesAtOnce: 1 },
  soft: { turnsPerDay: 2, softShare: 0.5 },
  attended: { tokensPerDay: 1_000_000, unattendedShare: 0 },
};

const unlimited = {
  turnsPerDay: "unlimited",
  tokensPerDay: "unlimited",
  costPerDay: "unlimited",
  subtasksPerDay: "unlimited",
  storedBytesPerDay: "unlimited",
  schedulesAtOnce: 1_000,
};

beforeAll(async () => {
  models = await rig.models();
  const agent = (name: string, more: object) => ({ name, model: models.named(name, script), ...more });
  const agents = [
    agent("free", { budgets: { visitor: unlimited } }),
    ...Object.entries(cases).flatMap(([name, limits]) => [
      agent(`agent-${name}`, { budgets: { visitor: unlimited, agent: limits } }),
      agent(`tenant-${name}`, { budgets: { visitor: unlimited }, tenant: `of-${name}` }),
    ]),
  ];
  const prices = Object.fromEntries(
    ["free", "agent-cost", "tenant-cost"].map((name) => [`openai-compatible/${name}`, { input: 1, output: 1 }]),
  );
  const tenants = Object.fromEntries(
    Object.entries(cases).map(([name, limits]) => [`of-${name}`, { budgets: { tenant: limits } }]),
  );
  const channels = Object.fromEntries(agents.map(({ name }) => [name, { adapter: "web", agent: name }]));
  mooring = await rig.start({ agents, prices, tenants: { default: {}, ...tenants }, channels });
});

/** Two messages of one visitor, one after the other. */
const twice = async (agent: string, text: string) => {
  const visitor = mooring.client("visitor", agent);
  const first = (await visitor.answerTo(visitor.say(text))).markdown;
  return [first, (await visitor.answerTo(visitor.say(text))).markdown];
};
const USED_UP = "The budget of this assistant for today is used up. It renews at 00:00 UTC";

describe("given agents and tenants with one limit each, and an agent without", () => {
  proves(
    ["agents[].budgets.*.turnsPerDay", "tenants.*.budgets.*.turnsPerDay"],
    "when a visitor writes twice, then one turn is answered",
    async () => {
      for (const agent of ["agent-turns", "tenant-turns"]) {
        const [first, second] = await twice(agent, "hello");
        expect(first).toContain("an answer");
        expect(second).toContain(USED_UP);
      }
      expect((await twice("free", "hello"))[1]).toContain("an answer");
    },
  );

  proves(
    [
      "agents[].budgets.*.tokensPerDay",
      "tenants.*.budgets.*.tokensPerDay",
      "agents[].budgets.*.costPerDay",
      "tenants.*.budgets.*.costPerDay",
      "prices.*.input",
      "prices.*.output",
    ],
    "when a request would cost more than the limit, then the model is not asked",
    async () => {
      for (const agent of ["agent-tokens", "tenant-tokens", "agent-cost", "tenant-cost"]) {
        expect((await twice(agent, "hello"))[0]).toContain(USED_UP);
        expect(models.requests(agent)).toEqual([]);
      }
    },
  );

  proves(
    ["agents[].budgets.*.storedBytesPerDay", "tenants.*.budgets.*.storedBytesPerDay"],
    "when the first turn has stored more than the limit, then the second is refused",
    async () => {
      for (const agent of ["agent-bytes", "tenant-bytes"]) {
        const [first, second] = await twice(agent, "hello");
        expect(first).toContain("an answer");
        expect(second).toContain(USED_UP);
      }
    },
  );

  proves(
    [
      "agents[].budgets.*.subtasksPerDay",
      "tenants.*.budgets.*.subtasksPerDay",
      "agents[].budgets.*.subtasksAtOnce",
      "tenants.*.budgets.*.subtasksAtOnce",
      "agents[].budgets.*.unattendedShare",
      "tenants.*.budgets.*.unattendedShare",
    ],
    "when a turn delegates two subtasks, then those with a smaller limit, or none for unattended work, are refused",
    async () => {
      expect((await twice("free", "delegate"))[0]).toContain("Accepted");
      for (const holder of ["agent", "tenant"]) {
        expect((await twice(`${holder}-subtasks`, "delegate"))[0]).toContain(`Refused: ${USED_UP}`.slice(0, 40));
        expect((await twice(`${holder}-at-once`, "delegate"))[0]).toContain("1 subtasks under way at once");
        expect((await twice(`${holder}-attended`, "delegate"))[0]).toContain("Accepted");
        const isTold = ({ lastUserText }: ModelRequest) => lastUserText.includes("Background work has used its part");
        await expect.poll(() => models.requests(`${holder}-attended`).some(isTold)).toBe(true);
        expect(models.requests(`${holder}-attended`).some(isSubtask)).toBe(false);
      }
    },
  );

  proves(
    ["agents[].budgets.*.turnsAtOnce", "tenants.*.budgets.*.turnsAtOnce"],
    "when a second visitor writes during a turn, then their message waits where one turn may run at once",
    async () => {
      const during = async (agent: string) => {
        const [one, two] = [mooring.client(`${agent}-1`, agent), mooring.client(`${agent}-2`, agent)];
        const first = one.say("long");
        await models.asked(agent, models.requests(agent).length + 1);
        return { first: one.answerTo(first), second: two.answerTo(two.say("hello")), two };
      };
      const free = await during("free");
      expect((await free.second).markdown).toContain("an answer");
      const waiting = [await during("agent-line"), await during("tenant-line")];
      for (const { two } of waiting) {
        await two.until(() => two.log.some(({ kind }) => kind === "notice"), "the notice");
        expect(two.log.find(({ kind }) => kind === "notice")?.markdown).toContain("Yours waits in line");
      }
      gate.release();
      for (const { first, second } of [free, ...waiting]) {
        expect((await first).markdown).toContain("at last");
        expect((await second).markdown).toContain("an answer");
      }
    },
  );

  proves(
    ["agents[].budgets.*.schedulesAtOnce", "tenants.*.budgets.*.schedulesAtOnce"],
    "when a visitor sets two reminders, then the second is refused where one may be open",
    async () => {
      expect((await twice("free", "remind"))[1]).toContain("Scheduled as");
      for (const agent of ["agent-reminders", "tenant-reminders"]) {
        const [first, second] = await twice(agent, "remind");
        expect(first).toContain("Scheduled as");
        expect(second).toContain("this assistant may have 1 open schedules");
      }
    },
  );

  proves(
    ["agents[].budgets.*.softShare", "tenants.*.budgets.*.softShare"],
    "when half of the limit is used, then those with a soft limit ask whether to go on",
    async () => {
      for (const agent of ["agent-soft", "tenant-soft"]) {
        const [first, second] = await twice(agent, "hello");
        expect(first).toContain("an answer");
        expect(second).toContain("has reached 50 % of its budget for today. An operator can let it go on.");
      }
    },
  );
});
