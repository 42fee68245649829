import { beforeAll, describe, expect, it } from "vitest";
import { calls, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import type { WebClient } from "../fakes/web-client.ts";
import type { ModelBoard } from "./settings/model-board.ts";
import { type RunningProduct, SettingsRig } from "./settings/settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;

const schedule = (when: string) => ({
  name: "schedule_task",
  arguments: { description: "more", prompt: "go on", when },
});
const delegate = { name: "spawn_subtask", arguments: { name: "deeper", prompt: "delegate again" } };
const ask = { name: "send_message_to_agent", arguments: { agent: "helper", message: "do it for me" } };

/** A model that tries everything in every turn and in every subtask. */
const greedy = ({ lastUserText, toolOutputs }: ModelRequest) => {
  if (toolOutputs.length > 0) return says(toolOutputs.join("\n"));
  if (lastUserText === "repeat") return calls([schedule("every 1 h")]);
  return lastUserText === "hello" ? says("hello") : calls([schedule("every 1 m"), delegate, ask]);
};

const config = (granted: readonly string[]) => ({
  tenants: { default: { a2aAsync: true } },
  agents: [
    {
      name: "crowded",
      model: models.named("crowded", greedy),
      peers: ["helper"],
      budgets: { anonymous: { turnsPerDay: 40, subtasksPerDay: 20 } },
    },
    { name: "helper", model: models.named("helper"), peers: ["crowded"] },
    { name: "granting", model: models.named("granting", greedy), rights: { anonymous: [...granted] } },
    { name: "soft", model: models.named("soft", greedy), budgets: { visitor: { turnsPerDay: 4, softShare: 0.5 } } },
  ],
  channels: {
    crowded: { adapter: "web", agent: "crowded" },
    granting: { adapter: "web", agent: "granting" },
    soft: { adapter: "web", agent: "soft" },
  },
});

beforeAll(async () => {
  models = await rig.models();
  mooring = await rig.start(config(["default", "schedule"]));
});

const write = (visitor: WebClient, text: string) => visitor.answerTo(visitor.say(text));

describe("given thirty anonymous visitors whose model tries everything in every turn and subtask", () => {
  it("when all of them write and leave, then they cost no more than their common budget, no schedule repeats, and no other agent is asked (R1, R2)", async () => {
    const visitors = Array.from({ length: 30 }, (_, at) => mooring.client(`visitor-${at}`, "crowded"));
    const answers = await Promise.all(visitors.flatMap((each) => [write(each, "go"), write(each, "go")]));
    const refused = answers.filter(({ markdown }) =>
      markdown?.includes("The budget of this assistant for today is used up"),
    );
    expect(answers).toHaveLength(60);
    expect(refused.length).toBeGreaterThanOrEqual(20);
    for (const visitor of visitors) visitor.close();
    const turns = () => models.requests("crowded").filter(({ toolNames }) => !toolNames.includes("complete_subtask"));
    const { items } = await mooring.admin<{ items: { agent: string }[] }>("schedules?limit=200");
    expect(items.filter(({ agent }) => agent === "crowded")).toEqual([]);
    expect(models.requests("helper")).toEqual([]);
    await expect
      .poll(async () => (await mooring.admin<{ items: unknown[] }>("subtasks?limit=200")).items, { timeout: 60_000 })
      .toEqual([]);
    // A turn with tools has at most two requests here, and a synthesis is a turn.
    expect(turns().length).toBeLessThanOrEqual(80);
    const subtasks = models.requests("crowded").length - turns().length;
    expect(subtasks).toBeLessThanOrEqual(2 * 20);
  });
});

describe("given a soft limit that one visitor has reached", () => {
  it("when another visitor presses their button, then it is refused, and the limit stays (R2)", async () => {
    const [owner, stranger] = [mooring.client("owner", "soft"), mooring.client("stranger", "soft")];
    await write(owner, "hello");
    await write(owner, "hello");
    const [button] = (await write(owner, "hello")).actions ?? [];
    const pressed = await stranger.answerTo(stranger.command("budget", button?.value));
    expect(pressed.markdown).toContain("Only the person whose budget it is, or an operator");
    expect((await write(owner, "hello")).outcome).toBe("failed");
    await owner.answerTo(owner.command("budget", button?.value));
    expect((await write(owner, "hello")).outcome).toBe("answered");
  });
});

describe("given a schedule of a visitor who then loses the right", () => {
  it("when it is due, then the model is not asked, and the schedule pauses and says so (R1)", async () => {
    const visitor = mooring.client("scheduling", "granting");
    expect((await write(visitor, "repeat")).markdown).toContain("Scheduled as");
    const before = models.requests("granting").length;
    await mooring.end();
    mooring = await rig.start(config(["default"]), { folder: mooring.folder, aheadMs: 2 * 3_600_000 });
    const back = mooring.client("back", "granting", visitor.token);
    await back.until(
      () => back.log.some(({ markdown }) => markdown?.includes("I paused the schedule") === true),
      "the pause",
    );
    expect(models.requests("granting")).toHaveLength(before);
    const resumed = await back.answerTo(back.command("schedules"));
    expect(resumed.markdown).toContain("paused");
    const [id = ""] = /schedule-[0-9a-f]{8}/.exec(back.log.map(({ markdown }) => markdown).join(" ")) ?? [];
    const again = await back.answerTo(back.command("schedules", `resume ${id}`));
    expect(again.markdown).not.toMatch(/resumed/i);
  });
});
