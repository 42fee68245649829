import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { runChannel } from "../../../gateway/relay/run-channel.ts";
import { LogChannel } from "../../fakes/log-channel.ts";
import { openRelayRig } from "../relay/relay-rig.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";
import { RunningAgent } from "./running-agent.ts";

let rig: AdminRig;
let agent: RunningAgent;
beforeEach(async () => {
  rig = await AdminRig.open(systemClock);
  agent = await RunningAgent.start(rig.backbone, () => "hi");
});
afterEach(async () => {
  await agent.stop();
  await rig.close();
});

/** Lets pending work run. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
/** The channel, once its gateway has reported what the test waits for. */
const channel = async (isIt: (shown: Record<string, unknown>) => boolean) => {
  for (;;) {
    rig.backbone.bus.signal(subjectsOf("default").channelChanged("web"), { channel: "web" });
    const { body } = await rig.call("GET", "channels/web");
    if (isIt(body)) return body;
    await pause();
  }
};
const texts = () => agent.channel.deliveries.items.map(({ reply }) => reply.markdown);
const lobby = { room: "lobby", text: "is this thing on?" };

describe("given a running channel", () => {
  it("when a person writes, then its last traffic and its gateway are shown", async () => {
    await agent.say("m1", "hello");
    await agent.finals(1);
    const shown = await channel(({ lastOutAt }) => lastOutAt !== undefined);
    expect(shown).toMatchObject({
      channel: "web",
      adapter: "web",
      agent: "mooring",
      tenant: "default",
      state: "running",
      errors: [],
      undelivered: 0,
      gateways: [{ instance: "gateway-1", state: "running" }],
    });
    expect(Date.parse(shown.lastInAt)).toBeLessThanOrEqual(Date.parse(shown.lastOutAt));
  });

  it("when its platform fails, then its errors are listed, each kind once with its count", async () => {
    let refusals = 0;
    agent.channel.before = async () => {
      if (++refusals <= 2) throw new DeliveryFailed("unavailable", "it is down");
    };
    await agent.say("m1", "hello");
    await agent.finals(1);
    const shown = await channel(({ errors }) => (errors as { count: number }[])[0]?.count === 2);
    expect(shown.errors).toMatchObject([{ what: "delivery", reason: "unavailable", count: 2 }]);
  });

  it("when it is paused, then it stops, and outgoing messages wait until it is resumed", async () => {
    expect((await rig.call("POST", "channels/web/pause")).body).toMatchObject({
      state: "paused",
      paused: { by: { role: "platform_admin" } },
    });
    await agent.channel.events.until((events) => events.at(-1) === "stop");
    await rig.call("POST", "channels/web/pause");
    expect((await rig.call("POST", "channels/web/test", lobby)).status).toBe(202);
    await channel(({ gateways }) => (gateways as { state: string }[])[0]?.state === "standby");
    expect(texts()).toEqual([]);
    expect((await rig.call("POST", "channels/web/resume")).body.paused).toBeUndefined();
    await agent.channel.deliveries.until((items) => items.length > 0);
    expect(texts()).toEqual([lobby.text]);
    expect(agent.channel.events.items.filter((event) => event === "start")).toHaveLength(2);
  });

  it("when a test message is sent, then its deliveries can be read", async () => {
    const { body } = await rig.call("POST", "channels/web/test", lobby);
    expect(body.conversation).toEqual({ channel: "web", room: "lobby", kind: "shared" });
    await agent.channel.deliveries.until((items) => items.length > 0);
    const accepted = async () => {
      const { items } = (await rig.call("GET", `replies/${body.replyId}/deliveries?agent=mooring`)).body;
      return items.some(({ state }: { state: string }) => state === "accepted");
    };
    while (!(await accepted())) await pause();
    const foreign = await rig.call("GET", `replies/${body.replyId}/deliveries?agent=helper`, undefined, acmeAdmin);
    expect(foreign.body).toEqual({ items: [] });
  });

  it.each([
    [{ account: "carol" }, 400, "has not written"],
    [{}, 400, ""],
    [{ room: "lobby", text: "x".repeat(501) }, 400, ""],
    [{ room: "lobby", colour: "red" }, 400, ""],
  ])("when a test message cannot be sent (%o), then the answer says why", async (given, status, why) => {
    const answer = await rig.call("POST", "channels/web/test", given);
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(why)]);
  });

  it("when an org admin lists channels, then those of other tenants are omitted", async () => {
    const { items } = (await rig.call("GET", "channels", undefined, acmeAdmin)).body;
    expect(items.map((each: { channel: string }) => each.channel)).toEqual(["web-acme"]);
    expect(items[0]).toMatchObject({
      state: "degraded",
      reason: expect.stringContaining("no gateway runs this channel"),
    });
    for (const verb of ["pause", "resume", "test"]) {
      expect((await rig.call("POST", `channels/web/${verb}`, lobby, acmeAdmin)).status).toBe(404);
    }
  });
});

describe("given a channel that was paused before the gateway started", () => {
  it("when the gateway starts, then the channel does not connect until it is resumed", async () => {
    const relay = await openRelayRig();
    const paused = new LogChannel("web");
    const running = await runChannel(relay.context, paused, "gateway", { isPaused: true });
    expect([paused.events.items, running.health()]).toEqual([[], { ok: true, standby: true }]);
    await running.setPaused(false);
    expect([paused.events.items, running.health()]).toEqual([["start"], { ok: true, standby: false }]);
    await running.stop();
    await relay.close();
  });
});
