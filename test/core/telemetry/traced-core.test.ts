import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { UserMessage } from "../../../core/contract/messages/user-message.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type { SpanRecord } from "../../../core/contract/ports/telemetry.ts";
import { acceptTrace, otelTraceId } from "../../../core/lib/derived-ids.ts";
import { rootSpanId } from "../../../core/telemetry/message-spans.ts";
import { tracedBus } from "../../../core/telemetry/traced-bus.ts";
import { RecordingTracer } from "../../fakes/otlp/recording-tracer.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { PEER, startPair, untilUnsolicited } from "../a2a/peers-under-test.ts";
import { AGENT, type CoreUnderTest, userMessage } from "../core-under-test.ts";
import { Held, roles, startDelegating } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
let tracer: RecordingTracer;
beforeEach(() => {
  tracer = new RecordingTracer();
});
afterEach(() => core.dispose());

const traced = (backbone: Backbone): Backbone => ({
  bus: tracedBus(backbone.bus, { tracer, clock: systemClock, system: "mooring" }),
  store: backbone.store,
  health: () => backbone.health(),
  writeProblem: () => backbone.writeProblem(),
  onHealthChange: (listener) => backbone.onHealthChange(listener),
  queues: () => backbone.queues(),
  close: () => backbone.close(),
});

/** Publishes as the gateway's inbox does with telemetry. */
const receive = (message: UserMessage): Promise<unknown> => {
  const options = { id: message.id, key: conversationKey(message.conversation) };
  return traced(core.backbone).bus.publish(subjectsOf("default").userMessage(AGENT), message, options);
};

const named = (name: string): SpanRecord[] => tracer.spans.items.filter((span) => span.name === name);
const one = (name: string, isIt: (span: SpanRecord) => boolean = () => true): SpanRecord => {
  const [span, ...more] = named(name).filter(isIt);
  expect(more).toEqual([]);
  if (span === undefined) throw new Error(`no span "${name}": ${tracer.spans.items.map((each) => each.name)}`);
  return span;
};
/** The span of a handler run is recorded last. */
const runsEnded = (count: number) =>
  tracer.spans.until((spans) => spans.filter(({ kind }) => kind === "consumer").length >= count);

describe("given a message whose turn delegates work and asks another agent", () => {
  it("when all work is done, then its spans form one tree, from intake to the answers, without any content (U4)", async () => {
    const script = roles({
      primary: ({ outputs }) =>
        outputs.length > 0
          ? "on it, says canary"
          : calls(
              { name: "spawn_parallel_subtasks", input: { tasks: [{ name: "tides", prompt: "canary tides" }] } },
              { name: "send_message_to_agent", input: { agent: PEER, message: "canary?", msg_type: "consult" } },
            ),
      subagent: () => "canary found",
      continuation: () => "canary in short",
    });
    ({ core } = await startPair(script, () => "canary depth", { tracer, wrap: traced }));
    await receive(userMessage("m-1", "canary research", { traceId: "4bf92f3577b34da6a3ce929d0e0e4736" }));
    await untilUnsolicited(core);
    await runsEnded(3);

    const spans = tracer.spans.items;
    expect(new Set(spans.map(({ traceId }) => otelTraceId(traceId)))).toEqual(
      new Set(["4bf92f3577b34da6a3ce929d0e0e4736"]),
    );
    expect(spans.filter(({ parentId }) => parentId === undefined).map(({ name }) => name)).toEqual([
      "publish default.user.message.mooring",
    ]);
    const ids = new Set(spans.map(({ id }) => id));
    expect(spans.filter(({ parentId }) => parentId !== undefined && !ids.has(parentId))).toEqual([]);
    expect(JSON.stringify(spans)).not.toContain("canary");
  });

  it("then each span has the span that caused it as its parent, and the attributes of the conventions", async () => {
    const script = roles({
      primary: ({ outputs }) =>
        outputs.length > 0
          ? "on it"
          : calls(
              { name: "spawn_parallel_subtasks", input: { tasks: [{ name: "tides", prompt: "tides" }] } },
              { name: "send_message_to_agent", input: { agent: PEER, message: "deep?", msg_type: "consult" } },
            ),
    });
    ({ core } = await startPair(script, () => "six metres", { tracer, wrap: traced }));
    await receive(userMessage("m-1", "research"));
    await untilUnsolicited(core);
    await runsEnded(3);

    const isFor = (trigger: string) => (span: SpanRecord) => span.attributes["mooring.trigger"] === trigger;
    const intake = one("publish default.user.message.mooring", isFor("message"));
    expect(intake).toMatchObject({
      id: rootSpanId("trace-m-1"),
      kind: "producer",
      attributes: {
        "messaging.system": "mooring",
        "messaging.operation.type": "send",
        "messaging.destination.name": "default.user.message.mooring",
        "messaging.message.id": "m-1",
        "mooring.channel": "web",
      },
    });
    const run = one("process default.user.message.mooring", isFor("message"));
    expect(run).toMatchObject({
      parentId: intake.id,
      kind: "consumer",
      attributes: {
        "messaging.operation.type": "process",
        "messaging.consumer.group.name": "intake",
        "mooring.run": 1,
      },
    });
    const turn = one("invoke_agent mooring", isFor("message"));
    expect(turn).toMatchObject({
      parentId: run.id,
      kind: "internal",
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "mooring",
        "gen_ai.request.model": "scripted",
        "gen_ai.conversation.id": expect.stringMatching(/^s-/),
        "mooring.outcome": "answered",
      },
    });
    const [step] = named("chat scripted").filter(({ parentId }) => parentId === turn.id);
    expect(step).toMatchObject({
      kind: "client",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "scripted",
        "gen_ai.usage.input_tokens": expect.any(Number),
        "gen_ai.usage.output_tokens": expect.any(Number),
        "gen_ai.response.finish_reasons": ["tool-calls"],
      },
    });
    const tool = one("execute_tool spawn_parallel_subtasks");
    expect(tool).toMatchObject({
      parentId: turn.id,
      attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "spawn_parallel_subtasks" },
    });
    const subtask = one("invoke_agent mooring", ({ attributes }) => attributes["mooring.subtask.id"] !== undefined);
    expect(subtask).toMatchObject({ parentId: tool.id, attributes: { "mooring.outcome": "success" } });
    expect(named("chat scripted").filter(({ parentId }) => parentId === subtask.id)).toHaveLength(1);

    const call = one(`invoke_agent ${PEER}`, ({ kind }) => kind === "client");
    expect(call).toMatchObject({ parentId: turn.id, attributes: { "mooring.peer_call.mode": "consult" } });
    const wake = one(`publish default.user.message.${PEER}`);
    expect(wake.parentId).toBe(call.id);
    const peersRun = one(`process default.user.message.${PEER}`);
    expect(peersRun.parentId).toBe(wake.id);
    expect(one(`invoke_agent ${PEER}`, ({ kind }) => kind === "internal").parentId).toBe(peersRun.id);

    const synthesis = one("publish default.user.message.mooring", isFor("synthesis"));
    expect(synthesis.parentId).toBe(turn.id);
    const answers = named("publish default.user.response.mooring");
    const second = one("invoke_agent mooring", isFor("synthesis"));
    const final = answers.filter(({ attributes }) => attributes["mooring.reply.kind"] === "final");
    expect(final.map(({ parentId }) => parentId)).toEqual([turn.id, second.id]);
    expect(final[0]?.attributes["messaging.message.conversation_id"]).toBe("m-1");
  });
});

describe("given a process that hands over a turn", () => {
  it("when another process ends it, then the turn is one span of the same trace, from its opening on", async () => {
    const held = new Held();
    let isHeld = true;
    const script = roles({ primary: () => (isHeld ? held.answer : "at last") });
    core = await startDelegating(script, { tracer, wrap: traced });
    await receive(userMessage("m-1", "hello"));
    await held.asked;
    const openedAt = core.clock.now();
    const stopped = core.stopCore();
    core.clock.advance(10_000);
    await stopped;
    isHeld = false;
    const next = await core.startCore({ tracer, wrap: traced });
    while (core.replies.items.length === 0) {
      core.clock.advance(1_000);
      await new Promise(setImmediate);
    }
    await runsEnded(2);
    const turn = one("invoke_agent mooring");
    const runs = named("process default.user.message.mooring");
    expect(runs.map(({ attributes }) => attributes["mooring.run"])).toEqual([1, 2]);
    expect(turn).toMatchObject({ startedAt: openedAt, parentId: runs[1]?.id });
    const steps = named("chat scripted");
    expect(steps.map(({ parentId, error }) => [parentId, error])).toEqual([
      [turn.id, "aborted"],
      [turn.id, undefined],
    ]);
    await next.stop();
  });
});

describe("given work that a remote agent began with its own trace", () => {
  it("when it is done, then its root span has the caller's span as its parent", async () => {
    core = await startDelegating(["done"], { tracer, wrap: traced });
    const traceId = acceptTrace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", undefined) ?? "";
    await receive(userMessage("m-1", "hello", { traceId }));
    await runsEnded(1);
    const root = one("publish default.user.message.mooring");
    expect(root.parentId).toBe("00f067aa0ba902b7");
    expect(otelTraceId(root.traceId)).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
    expect(one("process default.user.message.mooring").parentId).toBe(root.id);
  });
});
