import { afterEach, describe, expect, it } from "vitest";
import { INBOUND_CHANNEL } from "../../../core/contract/messages/addresses.ts";
import { syntheticMessage, type TurnMessage } from "../../../core/contract/messages/user-message.ts";
import { requesterOf } from "../../../core/intake/answer-message.ts";
import type { StepRequest } from "../../../core/model/step.ts";
import { turnFeatures } from "../../../core/turn-features.ts";
import type { Agent } from "../../../core/turns/turn.ts";
import { calls, type ScriptedModel } from "../../fakes/scripted-model.ts";
import { sends, startPair, untilUnsolicited } from "../a2a/peers-under-test.ts";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";
import { delegates, roles } from "../subtasks/delegating.ts";

let core: CoreUnderTest | undefined;
afterEach(async () => {
  await core?.dispose();
  core = undefined;
});

const toolsOf = ({ tools }: StepRequest): string[] => tools.map(({ name }) => name);
const turnsOf = (model: ScriptedModel, is: (tools: readonly string[]) => boolean): string[][] =>
  model.requests.items.map(toolsOf).filter(is);
const isSubagent = (tools: readonly string[]) => tools.includes("complete_subtask");

/** The tools of subagents; all others are inherited. */
const REPORTING = ["notify_owner", "complete_subtask"];
const SCHEDULES = ["schedule_task", "list_schedules", "cancel_schedule", "run_schedule_now"];

const widened = (tools: readonly string[], inherited: readonly string[]): string[] =>
  tools.filter((name) => !inherited.includes(name) && !REPORTING.includes(name));

describe("given a turn that delegates (S5)", () => {
  it("when it spawns a subtask and creates a schedule, then subtask, run and synthesis have only tools that it had", async () => {
    const schedule = { name: "schedule_task", input: { description: "later", prompt: "research b", when: "in 10 s" } };
    const pair = await startPair(
      roles({
        primary: (asked) => {
          if (asked.text.includes("Scheduled task")) return delegates(["deep"], "on it")(asked);
          return asked.outputs.length === 0
            ? calls(schedule)
            : delegates(["a"], "on it")({ ...asked, outputs: asked.outputs.slice(1) });
        },
      }),
      () => "noted",
      { heldByClock: true },
    );
    core = pair.core;
    await core.ask("m1", "research a");
    await untilUnsolicited(core);
    core.clock.advance(11_000);
    await untilUnsolicited(core, 2);
    const [own = []] = turnsOf(core.model, (tools) => !isSubagent(tools));
    expect(own).toEqual(expect.arrayContaining([...SCHEDULES, "spawn_subtask"]));
    const all = core.model.requests.items.map(toolsOf);
    expect(all.length).toBeGreaterThan(6);
    expect(all.flatMap((tools) => widened(tools, own))).toEqual([]);
    const [ofChat = [], ofRun = []] = [turnsOf(core.model, isSubagent).at(0), turnsOf(core.model, isSubagent).at(-1)];
    expect(ofChat).not.toContain("spawn_subtask");
    // A subtask that cannot delegate cannot create a schedule that could.
    expect(ofChat).not.toContain("schedule_task");
    expect(ofRun).toContain("spawn_subtask");
  });

  it("when it messages a peer, then the peer has its own tools and none of the caller's", async () => {
    const { core: started, peer } = await startPair(
      roles({ primary: sends({ message: "tides?", msg_type: "task_delegate" }) }),
      () => "high at noon",
    );
    core = started;
    await core.ask("m1", "when is high tide?");
    await untilUnsolicited(core);
    const [woken = []] = turnsOf(peer, () => true);
    const [own = []] = turnsOf(core.model, () => true);
    expect(widened(woken, own)).toEqual([]);
  });
});

describe("given an agent with a tool for people only", () => {
  const tools = [{ name: "note" }, { name: "schedule_task", isForPeople: true }];
  const agent = { name: "mooring", tools } as unknown as Agent;
  const features = turnFeatures({ inbound: { rulesOf: () => ({}) } } as unknown as Parameters<typeof turnFeatures>[0]);
  const namesIn = (message: TurnMessage) =>
    (requesterOf(features, message)?.agentFor(agent) ?? agent).tools.map(({ name }) => name);

  const audience = {
    conversation: { channel: INBOUND_CHANNEL, room: "alice/c-1", kind: "private" },
    personId: null,
    accountId: "alice",
  } as const;
  const work = (kind: "peer-call" | "a2a-task") => ({
    sessionId: "s-1",
    standing: {
      owner: {
        ownerType: "orchestrator" as const,
        ownerId: "s-1",
        worksFor: { kind, tenant: "default", agent: "mooring", id: "t-1" },
      },
      background: true,
    },
    origin: {
      channel: INBOUND_CHANNEL,
      promptSummary: "x",
      startedAt: "2026-03-10T21:14:00.000Z",
      sessionId: "s-1",
      taskId: "t-1",
    },
    audience,
    asker: { personId: "p", accountId: "alice", name: "alice" },
    traceId: "trace",
  });
  const agentRef = { tenant: "default", agent: "mooring" };
  const content = { id: "m", at: "2026-03-10T21:14:00.000Z", text: "x" };
  const inboundTask = syntheticMessage(agentRef, work("a2a-task"), { ...content, type: "task", data: {} });
  const peerCall = syntheticMessage(agentRef, work("peer-call"), {
    ...content,
    type: "peer",
    data: { mode: "consult" },
  });

  it("when it works on an inbound task, then it does not have that tool", () => {
    expect(namesIn(inboundTask)).toEqual(["note", "ask_caller"]);
  });

  it("when it is the local peer to which an inbound task is passed on, then it does not have that tool", () => {
    expect(namesIn(peerCall)).toEqual(["note"]);
  });

  it("when a person asks, then it has all tools", () => {
    expect(namesIn(userMessage("m", "x"))).toEqual(["note", "schedule_task"]);
  });
});
