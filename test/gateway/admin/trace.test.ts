import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { deadLetterKey } from "../../../core/contract/ports/bus.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { historyKey } from "../../../core/sessions/session-window.ts";
import { traceIdOf, turnIdOf, turnKeyById } from "../../../core/turns/record/turn-records.ts";
import { sends } from "../../core/a2a/peers-under-test.ts";
import { userMessage } from "../../core/core-under-test.ts";
import { type Asked, delegates, Held, roles, taskOf } from "../../core/subtasks/delegating.ts";
import { calls, ScriptedModel } from "../../fakes/scripted-model.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";
import { RunningAgent } from "./running-agent.ts";

let rig: AdminRig;
let agent: RunningAgent;
let harbour: ScriptedModel;
const asksHarbour = ({ outputs }: Asked) =>
  outputs.length > 0
    ? "it is deep"
    : calls({ name: "send_message_to_agent", input: { agent: "harbour", message: "how deep?", msg_type: "consult" } });
const countsBoats = sends({ message: "how many boats?", msg_type: "task_delegate" }, "waiting for it");

beforeEach(async () => {
  rig = await AdminRig.open(systemClock);
  const script = roles({
    primary: (asked) => {
      if (asked.text === "hello") return "hi";
      if (asked.text === "ask harbour") return asksHarbour(asked);
      return delegates(asked.text === "count the boats" ? ["boats"] : ["tides", "knots"], "on it")(asked);
    },
    subagent: (asked) => (taskOf(asked) === "boats" ? countsBoats(asked) : "done"),
    continuation: () => "in short",
  });
  harbour = new ScriptedModel(() => "six metres");
  const peer = { name: "harbour", tenant: "default", model: harbour, peers: ["mooring"] };
  agent = await RunningAgent.start(rig.backbone, script, [peer]);
});
afterEach(async () => {
  await agent.stop();
  await rig.close();
});

const trace = (id: string, headers?: Record<string, string>) =>
  rig.call("GET", `traces/${encodeURIComponent(id)}`, undefined, headers);
/** The trace, once all of it is stored. */
const endedTrace = async (id: string) => {
  for (;;) {
    const { body } = await trace(id);
    const answered = body.turns?.filter(({ reply }: { reply?: object }) => reply !== undefined) ?? [];
    const isAccepted = JSON.stringify(answered.at(-1)?.reply ?? "").includes("messageId");
    if (body.state === "ended" && isAccepted) return body;
    await new Promise(setImmediate);
  }
};

describe("given a message whose work was delegated", () => {
  it("when its trace is read, then it covers intake to each delivery, with the platform's id (U3)", async () => {
    await agent.say("m1", "research tides and knots, my secret plan");
    await agent.finals(2);
    const body = await endedTrace("m1");
    expect(body).toMatchObject({
      traceId: traceIdOf({ tenant: "default", agent: "mooring", id: "m1" }),
      agent: "mooring",
      state: "ended",
      conversation: { channel: "web", room: "room-1" },
      turns: [
        {
          messageId: "m1",
          trigger: "message",
          outcome: "answered",
          steps: [{ step: 0, calls: [{ name: "spawn_parallel_subtasks", state: "done" }] }],
          reply: { deliveries: [{ state: "accepted", part: 0, conversation: { channel: "web", room: "room-1" } }] },
        },
        { trigger: "synthesis", outcome: "answered", reply: { deliveries: [{ state: "accepted" }] } },
      ],
    });
    const [first, second] = body.turns;
    expect(first.subtasks).toEqual(body.subtasks.map(({ id }: { id: string }) => id));
    expect(second.subtasks).toEqual([]);
    expect(body.subtasks.map(({ name, status }: { name: string; status: string }) => [name, status]).sort()).toEqual([
      ["knots", "completed"],
      ["tides", "completed"],
    ]);
    const shown = agent.channel.deliveries.items.find(({ reply }) => reply.kind === "final");
    expect(first.reply.deliveries[0].messageId).toBe(shown?.id);
    expect(JSON.stringify(body)).not.toContain("in short");
  });

  it("when any other id of the work is given, then it is the same trace; another tenant finds nothing", async () => {
    await agent.say("m1", "research tides and knots");
    await agent.finals(2);
    const body = await endedTrace("m1");
    const [, synthesis] = body.turns;
    for (const id of [body.traceId, synthesis.turnId, synthesis.reply.replyId, body.subtasks[0].id]) {
      expect((await trace(id)).body).toEqual(body);
    }
    expect((await trace("m1", acmeAdmin)).status).toBe(404);
    expect((await trace("nothing")).body.error.message).toContain("seven days");
  });

  it("when another agent was asked, then the trace has the call and that agent's turn (U3)", async () => {
    await agent.say("m1", "ask harbour");
    expect(await agent.finals(1)).toEqual(["it is deep"]);
    const body = await endedTrace("m1");
    expect(body.hops).toMatchObject([
      { agent: "mooring", peer: "harbour", mode: "consult", state: "answered", turnId: body.turns[0].turnId },
    ]);
    expect(body.turns.map(({ agent: whose, trigger }: Record<string, string>) => [whose, trigger])).toEqual([
      ["mooring", "message"],
      ["harbour", "peer"],
    ]);
    expect((await trace(body.hops[0].id)).body).toEqual(body);
    expect(JSON.stringify(body)).not.toContain("six metres");
  });

  it("when another agent answers a subtask that was cancelled, then the trace has its late answer (U3, L3)", async () => {
    const held = new Held();
    harbour.follow(() => held.answer);
    await agent.say("m1", "count the boats");
    await Promise.all([held.asked, agent.finals(1)]);
    const [subtask] = (await rig.call("GET", "subtasks")).body.items;
    expect((await rig.call("POST", `subtasks/${subtask.ref}/cancel`)).body).toMatchObject({ status: "cancelled" });
    await agent.finals(2);
    held.give("seven boats");
    expect((await agent.finals(3)).at(-1)).toContain("From harbour");
    const body = await endedTrace("m1");
    expect(body.hops).toMatchObject([{ peer: "harbour", subtask: subtask.id, state: "answered" }]);
    expect(body.turns.map(({ agent: whose, trigger }: Record<string, string>) => [whose, trigger]).sort()).toEqual([
      ["harbour", "peer"],
      ["mooring", "late"],
      ["mooring", "message"],
      ["mooring", "synthesis"],
    ]);
    const late = body.turns.find(({ trigger }: { trigger: string }) => trigger === "late");
    expect(late.reply.deliveries).toMatchObject([{ state: "accepted", conversation: { room: "room-1" } }]);
    expect((await trace(late.turnId)).body).toEqual(body);
    expect(JSON.stringify(body)).not.toContain("seven boats");
  });

  it("when it was a command, then the trace has ended and has the deliveries of its answer", async () => {
    await agent.channel.inbox?.accept(userMessage("m1", "", { command: { name: "help", args: "" } }));
    const body = await endedTrace("m1");
    expect(body.turns).toMatchObject([
      { trigger: "command", command: "help", reply: { deliveries: [{ state: "accepted" }] } },
    ]);
  });

  it("when one of its deliveries failed for good, then the trace names the dead letter", async () => {
    agent.channel.before = async () => {
      throw new DeliveryFailed("forbidden", "the bot was removed");
    };
    await agent.say("m1", "hello");
    const [delivery] = await untilGivenUp("m1");
    expect(delivery).toMatchObject({ state: "given-up", reason: "forbidden: the bot was removed" });
    const { items } = (await rig.call("GET", "dead-letters")).body;
    expect(items).toMatchObject([{ ref: delivery.ref, kind: "delivery", channel: "web" }]);
    expect((await trace(items[0].replyId)).body.turns).toMatchObject([{ messageId: "m1" }]);
    agent.channel.before = async () => undefined;
    expect((await rig.call("POST", `dead-letters/${delivery.ref}/retry`)).body).toEqual({ done: true });
    expect(await agent.finals(1)).toEqual(["hi"]);
    expect((await rig.call("POST", `dead-letters/${delivery.ref}/retry`)).status).toBe(409);
  });
});

const untilGivenUp = async (id: string) => {
  for (;;) {
    const deliveries = (await trace(id)).body.turns?.[0]?.reply?.deliveries ?? [];
    const listed = (await rig.call("GET", "dead-letters")).body.items;
    if (deliveries[0]?.state === "given-up" && listed.length > 0) return deliveries;
    await new Promise(setImmediate);
  }
};

describe("given a turn whose message became a dead letter", () => {
  it("when its session and its trace are read, then it failed at that time and nothing is running (U3)", async () => {
    const { store } = rig.backbone;
    await agent.say("m1", "hello");
    await agent.finals(1);
    const turnId = turnIdOf({ tenant: "default", agent: "mooring", id: "m1" });
    const turn = (await store.get(turnKeyById({ tenant: "default", agent: "mooring" }, turnId)))?.value;
    await store.delete(historyKey(turn?.sessionId ?? "", turn?.index ?? 0));
    const turns = async () => (await rig.call("GET", `sessions/${turn?.sessionId}/turns?agent=mooring`)).body.items;
    expect((await turns())[0]).not.toHaveProperty("endedAt");
    const at = "2026-05-04T10:00:00.000Z";
    const letter = { durable: "intake", id: "m1", message: {}, reason: "broken", attempts: 5, publishedAt: at };
    const subject = (name: string) => ({ subject: `default.user.message.${name}`, deadAt: at });
    await store.put(deadLetterKey("intake", "m1"), { ...letter, ...subject("harbour") });
    expect((await turns())[0]).not.toHaveProperty("endedAt");
    await store.put(deadLetterKey("intake", "m1"), { ...letter, ...subject("mooring") });
    expect((await turns())[0]).toMatchObject({ messageId: "m1", endedAt: at, outcome: "failed" });
    expect((await trace("m1")).body).toMatchObject({ state: "ended", turns: [{ endedAt: at, outcome: "failed" }] });
  });
});

describe("given sessions and subtasks", () => {
  it("when they are listed, then sessions have their turns, and subtasks their origin", async () => {
    await agent.say("m1", "hello");
    await agent.finals(1);
    await agent.say("m2", "research tides and knots");
    await agent.finals(3);
    const { items } = (await rig.call("GET", "sessions")).body;
    expect(items).toMatchObject([{ agent: "mooring", kind: "conversation", turns: 3, asker: { name: "Ann" } }]);
    const turns = (await rig.call("GET", `sessions/${items[0].sessionId}/turns?agent=mooring&limit=2`)).body;
    expect(turns.items.map(({ trigger, messageId }: Record<string, string>) => [trigger, messageId])).toEqual([
      ["message", "m1"],
      ["message", "m2"],
    ]);
    expect(turns.items).toMatchObject([{ outcome: "answered" }, { outcome: "answered" }]);
    expect(turns.next).toBeDefined();
    expect((await rig.call("GET", "subtasks")).body.items).toEqual([]);
    const all = (await rig.call("GET", "subtasks?status=all")).body.items;
    expect(all).toHaveLength(2);
    expect((await rig.call("POST", `subtasks/${all[0].ref}/cancel`)).body.error.message).toContain("already ended");
    expect((await rig.call("GET", "subtasks?status=all", undefined, acmeAdmin)).body.items).toEqual([]);
  });
});
