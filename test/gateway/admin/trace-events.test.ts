import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { traceIdOf } from "../../../core/turns/record/turn-records.ts";
import { eventText } from "../../../gateway/admin/admin-request.ts";
import { findMessage } from "../../../gateway/admin/trace/find-message.ts";
import { traceEvents } from "../../../gateway/admin/trace/trace-events.ts";
import { Gate } from "../../fakes/model-answer.ts";
import { says } from "../../fakes/scripted-model.ts";
import { AdminRig } from "./admin-rig.ts";
import { RunningAgent } from "./running-agent.ts";

/** A clock that never fires the polling timer. */
const clock: Clock = {
  ...systemClock,
  after: (ms, callback) => (ms < 10_000 ? systemClock.after(ms, callback) : { cancel: () => undefined }),
};

let rig: AdminRig;
let agent: RunningAgent;
let asked: Gate;
let gate: Gate;
beforeEach(async () => {
  [asked, gate] = [new Gate(), new Gate()];
  rig = await AdminRig.open(systemClock);
  agent = await RunningAgent.start(rig.backbone, () => async () => {
    asked.release();
    await gate.opened;
    return says("hi");
  });
});
afterEach(async () => {
  gate.release();
  await agent.stop();
  await rig.close();
});

const agentRef = { tenant: "default", agent: "mooring" };

describe("given a client that follows a trace", () => {
  it("when the work progresses, then each change is sent up to the delivery, and disconnecting ends the stream (U3)", async () => {
    await agent.say("m1", "hello");
    await asked.opened;
    const { bus, store } = rig.backbone;
    const root = await findMessage(store, agentRef, "m1");
    if (root === undefined) throw new Error("the turn is open");
    const left = new AbortController();
    const events = traceEvents({ bus, store, clock, agentRef, root, agents: ["mooring"], signal: left.signal });
    const next = async () => {
      const { value } = await events.next();
      const [, json] = /^event: trace\ndata: (.*)\n\n$/.exec(eventText("trace", value)) ?? [];
      return json === undefined ? undefined : JSON.parse(json);
    };
    expect(await next()).toMatchObject({
      traceId: traceIdOf({ tenant: "default", agent: "mooring", id: "m1" }),
      state: "running",
      turns: [{ messageId: "m1" }],
    });
    gate.release();
    for (let trace = await next(); trace?.turns[0].reply?.deliveries[0]?.state !== "accepted"; trace = await next());
    left.abort();
    expect(await events.next()).toMatchObject({ done: true });
  });
});
