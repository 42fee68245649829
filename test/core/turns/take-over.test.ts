import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { delegatedCalls } from "../../../core/a2a/calls/delegated-calls.ts";
import { InboundTurns } from "../../../core/a2a/inbound/inbound-turns.ts";
import { AskingAgents } from "../../../core/approvals/deps.ts";
import type { PeerCallAddress } from "../../../core/contract/messages/addresses.ts";
import type { SubtaskUpdate } from "../../../core/contract/messages/signals.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { noCheckpoint } from "../../../core/contract/ports/telemetry.ts";
import type { Tool } from "../../../core/contract/tool.ts";
import { AwaitedFiles } from "../../../core/intake/awaited-files.ts";
import { handleUserMessage } from "../../../core/intake/handle-user-message.ts";
import type { IntakeDeps } from "../../../core/intake/intake-deps.ts";
import { ChangeEvents } from "../../../core/lib/change-events.ts";
import { AskerCache, LastSeen } from "../../../core/people/resolve-asker.ts";
import { BlockedAccounts } from "../../../core/rights/blocked-accounts.ts";
import { Rights } from "../../../core/rights/index.ts";
import { DueIndex } from "../../../core/schedules/due-index.ts";
import { SessionFinder } from "../../../core/sessions/current-session.ts";
import { SessionHistory } from "../../../core/sessions/session-history.ts";
import { ActivityPublisher } from "../../../core/subtasks/activity/activity-publisher.ts";
import { OwnerRecordWriter } from "../../../core/subtasks/owner/owner-record-writer.ts";
import { turnFeatures } from "../../../core/turn-features.ts";
import { BackgroundWork } from "../../../core/turns/background-work.ts";
import { defaultDelegation, defaultPeering } from "../../../core/turns/limits/agent-limits.ts";
import { RunningTurns } from "../../../core/turns/running-turns.ts";
import type { Agent } from "../../../core/turns/turn.ts";
import { TurnYielded } from "../../../core/turns/turn-failures.ts";
import { calls, ScriptedModel } from "../../fakes/scripted-model.ts";
import { AGENT, CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

/** Creates processes that all handle the same messages, as after a lease that expired unnoticed. */
const processes = async () => {
  core = await CoreUnderTest.start();
  await core.stopCore();
  return (model: ScriptedModel, options: { tools?: Tool[]; at?: Record<string, () => Promise<unknown>> } = {}) => {
    const stopping = new AbortController();
    const history = new SessionHistory(core.backbone.store);
    const calls = delegatedCalls(core.backbone.store);
    const deps = {
      bus: core.backbone.bus,
      store: core.backbone.store,
      clock: core.clock,
      logger: silentLogger,
      meter: core.meter,
      checkpoint: async (name: string) => {
        await (options.at?.[name] ?? noCheckpoint)(name);
      },
      history,
      sessions: new SessionFinder(core.backbone.store, history),
      askers: new AskerCache(),
      blocked: new BlockedAccounts({ ...core.backbone, clock: core.clock, logger: silentLogger }),
      events: new ChangeEvents<SubtaskUpdate>(),
      callEvents: new ChangeEvents<PeerCallAddress>(),
      dueTimes: new DueIndex(core.backbone),
      activity: new ActivityPublisher({ ...core.backbone, clock: core.clock, logger: silentLogger, calls }),
      calls,
      owners: new OwnerRecordWriter(core.backbone.store, core.clock),
      background: new BackgroundWork(silentLogger),
      turns: new RunningTurns({ bus: core.backbone.bus, clock: core.clock }),
      inbound: new InboundTurns({ ...core.backbone, clock: core.clock, logger: silentLogger }),
      stopping: stopping.signal,
      turnDeadlineMs: 900_000,
      workspaces: new Map(),
      agentConnections: { of: () => undefined },
      lastSeen: new LastSeen({ ...core.backbone, clock: core.clock }),
      awaitedFiles: new AwaitedFiles({ ...core.backbone, clock: core.clock }),
      asking: new AskingAgents(),
      budgets: { of: () => undefined },
      maxWindowEntries: 40,
    };
    const intakeDeps: IntakeDeps = { ...deps, features: turnFeatures(deps) };
    const agent: Agent = {
      name: AGENT,
      tenant: "default",
      model,
      maxToolRounds: 8,
      contextTokens: 128_000,
      maxTurnsPerPerson: 5,
      tools: options.tools ?? [],
      rights: new Rights(),
      files: { keepDays: 7 },
      pauseSchedulesAfterDays: 30,
      peering: defaultPeering,
      delegation: defaultDelegation,
      defaultsOn: () => ({}),
    };
    const handle = (id: string, text = "go", attempt = 1) =>
      handleUserMessage(intakeDeps, agent, userMessage(id, text), { id, attempt, failures: 0, publishedAt: 0 });
    return { handle, stop: () => stopping.abort(new TurnYielded("this process is stopping")) };
  };
};
const toolNamed = (name: string, run: () => Promise<string>): Tool => ({
  name,
  description: name,
  input: z.looseObject({}),
  needs: "talk",
  repeatable: false,
  run,
});

describe("given two processes with the same message", () => {
  it("when the first continues after the second has ended the turn, then its answer is dropped", async () => {
    const start = await processes();
    const second = start(new ScriptedModel(["from the second"]));
    const first = start(new ScriptedModel(["from the first", "next"]), {
      at: { "model.after": () => second.handle("m-1", "go", 2) },
    });
    expect(await first.handle("m-1")).toEqual({ retryInMs: 1_000 });
    expect((await core.replyTo("m-1")).markdown).toBe("from the second");
    expect(await first.handle("m-1", "go", 3)).toEqual(ack);
    await first.handle("m-2");
    await core.replyTo("m-2");
    expect(core.replies.items.filter(({ correlationId }) => correlationId === "m-1")).toHaveLength(1);
  });

  it("when the first continues with tool calls that the second has journaled, then it runs none of them", async () => {
    const start = await processes();
    const runs: string[] = [];
    const tools = [toolNamed("a", async () => `ran ${runs.push("a")} time`)];
    const second = start(new ScriptedModel([calls({ name: "a" }), "done"]), { tools });
    const first = start(new ScriptedModel([calls({ name: "a" })]), {
      tools,
      at: { "model.after": () => second.handle("m-1", "go", 2) },
    });
    expect(await first.handle("m-1")).toEqual({ retryInMs: 1_000 });
    expect(runs).toHaveLength(1);
  });

  it("when the first crashes inside a tool, then the second tells the model that the outcome is unknown", async () => {
    const start = await processes();
    let runs = 0;
    const tools = [
      toolNamed("a", () => {
        runs++;
        return new Promise(() => {});
      }),
    ];
    const first = start(new ScriptedModel([calls({ name: "a" })]), { tools });
    const crashed = first.handle("m-1");
    while (runs === 0) await new Promise(setImmediate);
    const model = new ScriptedModel(["I do not know"]);
    expect(await start(model, { tools }).handle("m-1", "go", 2)).toEqual(ack);
    expect(runs).toBe(1);
    expect(JSON.stringify(model.requests.items[0]?.messages)).toContain("its outcome is unknown");
    first.stop();
    expect(await crashed).toEqual({ retryInMs: 1_000 });
  });

  it("when another process has written to the session, then the cached window is updated", async () => {
    const start = await processes();
    const model = new ScriptedModel(() => "ok");
    const [first, second] = [start(model), start(model)];
    await first.handle("m-1", "one");
    await second.handle("m-2", "two");
    await second.handle("m-3", "three");
    await first.handle("m-4", "four");
    const texts = model.requests.items.at(-1)?.messages.flatMap((m) => (m.role === "user" ? m.text : []));
    expect(texts).toEqual(["one", "two", "three", "four"]);
  });

  it("when the history index of a turn is taken, then its entry gets the next index", async () => {
    const start = await processes();
    const other = start(new ScriptedModel(["the other's"]));
    const late = start(new ScriptedModel(["late"]), { at: { "model.after": () => other.handle("m-2", "two") } });
    expect(await late.handle("m-1", "one")).toEqual(ack);
    const model = new ScriptedModel(["last"]);
    await start(model).handle("m-3", "three");
    const texts = model.requests.items[0]?.messages.flatMap((m) => (m.role === "user" ? m.text : []));
    expect(texts).toEqual(["two", "one", "three"]);
  });
});

describe("given a process that stops", () => {
  it("when a turn exceeds the stop grace, then the next process resumes and answers it", async () => {
    core = await CoreUnderTest.start([() => new Promise(() => {}), "from the next"]);
    await core.receive(userMessage("m-1", "hello"));
    await core.model.requests.count(1);
    const stopped = core.stopCore();
    core.clock.advance(10_000);
    await stopped;
    expect(core.replies.items).toHaveLength(0);
    const next = await core.startCore();
    expect(await core.replyTo("m-1")).toMatchObject({ markdown: "from the next" });
    await next.stop();
  });
});
