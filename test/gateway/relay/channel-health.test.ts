import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { runChannel } from "../../../gateway/relay/run-channel.ts";
import { DeliveryHealth } from "../../../gateway/relay/sending/call-adapter.ts";
import { LogChannel } from "../../fakes/log-channel.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import type { RelayRig } from "./relay-rig.ts";
import { openRelayRig, room } from "./relay-rig.ts";

let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

const revoked = new DeliveryFailed("unavailable", "Slack says token_revoked");

describe("given the outcomes of a channel's deliveries", () => {
  it("when three in a row find the platform unavailable, then that is a problem until one succeeds (F33)", () => {
    const health = new DeliveryHealth();
    health.note(revoked);
    health.note(new DeliveryFailed("unknown", "no answer within 60000 ms"));
    expect(health.problem).toBeUndefined();
    health.note(revoked);
    expect(health.problem).toBe("Slack says token_revoked");
    health.note({ messageId: "1" });
    expect(health.problem).toBeUndefined();
  });

  it("when the platform refuses messages, then it counts as available", () => {
    const health = new DeliveryHealth();
    const reasons = ["rejected", "forbidden", "target-gone", "rate-limited"] as const;
    for (const reason of reasons) {
      for (let time = 0; time < 5; time++) health.note(new DeliveryFailed(reason, "no"));
    }
    expect(health.problem).toBeUndefined();
  });
});

describe("given a running channel", () => {
  it("when its token is revoked, then it is degraded until a delivery is accepted (F33)", async () => {
    const adapter = new LogChannel("queue", { connection: "shared", resend: "repeats" });
    let isRevoked = true;
    adapter.before = async () => {
      if (isRevoked) throw revoked;
    };
    const running = await runChannel(rig.context, adapter, "gateway");
    rig.closes(() => running.stop());
    for (const name of ["a", "b", "c"]) await rig.publish(`r-${name}`, room(name, "queue"), "hello");
    await vi.waitUntil(() => !running.health().ok);
    expect(running.health()).toEqual({ ok: false, reason: "Slack says token_revoked" });
    isRevoked = false;
    await rig.publish("r-d", room("d", "queue"), "hello");
    await vi.waitUntil(() => running.health().ok);
  });
});

describe("given an exclusive channel whose adapter is not connected once it stops", () => {
  it("when it stops slowly, then it is on standby, not degraded (F30)", async () => {
    const adapter = new LogChannel("queue", { connection: "exclusive", resend: "repeats" });
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    let isConnected = true;
    const slowly = Object.assign(adapter, {
      health: () => (isConnected ? { ok: true } : { ok: false, reason: "not connected" }),
      stop: () => {
        isConnected = false;
        return stopped;
      },
    });
    const running = await runChannel(rig.context, slowly, "gateway");
    expect(running.health()).toEqual({ ok: true, standby: false });
    const stopping = running.stop();
    await vi.waitUntil(() => !isConnected);
    expect(running.health()).toEqual({ ok: true, standby: true });
    stop();
    await stopping;
  });
});

describe("given a channel that starts in the background", () => {
  it("when its platform does not answer, then it runs at once, reports the reason, and can be stopped (F33)", async () => {
    const adapter = new LogChannel("queue", { connection: "shared", resend: "repeats" });
    let answer = () => {};
    adapter.beforeStart = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const running = await runChannel(rig.context, adapter, "gateway", { inBackground: true });
    await vi.waitUntil(() => !running.health().ok);
    expect(running.health()).toEqual({ ok: false, reason: "starting", starting: true });
    await running.setPaused(false);
    answer();
    await running.firstAttempt;
    expect(running.health()).toEqual({ ok: true, standby: false });
    await running.stop();
  });

  it("when every attempt fails for the same reason, then it is logged as an error once (F33)", async () => {
    const logger = new RecordingLogger();
    const adapter = new LogChannel("queue");
    adapter.beforeStart = async () => {
      throw new Error("invalid_auth");
    };
    const running = await runChannel({ ...rig.context, logger }, adapter, "gateway", { inBackground: true });
    rig.closes(() => running.stop());
    await running.firstAttempt;
    for (const pauseMs of [1_000, 2_000, 4_000]) await rig.clock.passNext(pauseMs);
    await logger.lines.until((lines) => lines.filter(({ message }) => message.includes("retrying")).length === 4);
    const levels = logger.lines.items.filter(({ message }) => message.includes("retrying")).map(({ level }) => level);
    expect(levels).toEqual(["error", "debug", "debug", "debug"]);
    expect(running.health()).toEqual({ ok: false, reason: "invalid_auth" });
  });
});
