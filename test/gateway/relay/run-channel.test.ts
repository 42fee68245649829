import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { DUPLICATE_WINDOW_MS } from "../../../core/contract/ports/bus.ts";
import { settleUndelivered } from "../../../core/delivery/undelivered/settle-undelivered.ts";
import { listUndeliveredFor } from "../../../core/delivery/undelivered/undelivered.ts";
import { runChannel } from "../../../gateway/relay/run-channel.ts";
import { LogChannel } from "../../fakes/log-channel.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { sampleMessage } from "../../fakes/sample-message.ts";
import type { RelayRig } from "./relay-rig.ts";
import { openRelayRig, room } from "./relay-rig.ts";

const START_MS = 50_000;
let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig({ startWithinMs: START_MS });
});
afterEach(() => rig.close());

const run = async (adapter: LogChannel, instance = "gateway-1") => {
  const running = await runChannel(rig.context, adapter, instance);
  rig.closes(() => running.stop());
  return running;
};
const logTarget = room("a", "log");

describe("given a channel with a log", () => {
  it("when a reply is published, then it is delivered directly, without a queue", async () => {
    const adapter = new LogChannel("log");
    await run(adapter);
    const queued = new Recorder<string>();
    const consumer = await rig.backbone.bus.consume(
      subjectsOf("default").delivery("log"),
      { durable: "spy", concurrency: 1 },
      async ({ id }) => {
        queued.add(id);
        return { ack: true };
      },
    );
    await rig.publish("r1", logTarget, "hello");
    const [delivery] = await adapter.deliveries.count(1);
    expect(delivery).toMatchObject({ id: "r1/+log/-/+a/-/0", part: { index: 0, count: 1, markdown: "hello" } });
    expect(delivery?.mayRepeat).toBe(false);
    expect(await rig.ledger("r1")).toEqual([]);
    await consumer.close();
    expect(queued.items).toEqual([]);
  });

  it("when a reply is empty, then the log still gets it, to end the wait (B7)", async () => {
    const adapter = new LogChannel("log");
    await run(adapter);
    await rig.publish("r1", logTarget, "", { outcome: "nothing", correlationId: "m1" });
    expect(await adapter.deliveries.count(1)).toMatchObject([{ reply: { outcome: "nothing" } }]);
  });

  it("when a reply is older than the bus's duplicate window, then it is marked as a possible duplicate", async () => {
    const adapter = new LogChannel("log");
    await run(adapter);
    await rig.publish("r1", logTarget, "hello");
    await rig.checkpoints.until((names) => names.includes("delivery.sent"));
    rig.clock.advance(DUPLICATE_WINDOW_MS);
    await rig.publish("r1", logTarget, "hello");
    await adapter.deliveries.count(2);
    expect(adapter.deliveries.items.map(({ mayRepeat }) => mayRepeat)).toEqual([false, true]);
  });

  it("when an append fails, then it is retried and marked as a possible duplicate", async () => {
    const adapter = new LogChannel("log");
    let failures = 0;
    adapter.before = async () => {
      if (failures++ === 0) throw new DeliveryFailed("unknown", "the store is away");
    };
    await run(adapter);
    await rig.publish("r1", logTarget, "hello");
    await rig.clock.passNext(1_000);
    expect((await adapter.deliveries.count(1)).map(({ mayRepeat }) => mayRepeat)).toEqual([true]);
  });

  it("when a reply cannot be appended, then it is listed as undelivered, and sending it again appends it (D6)", async () => {
    const adapter = new LogChannel("log");
    let isFull = true;
    adapter.before = async () => {
      if (isFull) throw new DeliveryFailed("rejected", "the entry is too large");
    };
    await run(adapter);
    const audience = { conversation: logTarget, personId: "p-1", accountId: "ann" };
    await rig.publish("r1", logTarget, "hello", { audience });
    await rig.untilDead(1);
    const { store } = rig.backbone;
    const inboxOf = (account: string) =>
      listUndeliveredFor(store, "default", [["account", "log", account]], { limit: 5 });
    let [entry] = await inboxOf("ann");
    while (entry === undefined) {
      await new Promise(setImmediate);
      [entry] = await inboxOf("ann");
    }
    expect(entry).toMatchObject({ excerpt: "hello", reason: "rejected: the entry is too large" });
    expect(await inboxOf("bob")).toEqual([]);
    isFull = false;
    expect(await settleUndelivered({ ...rig.backbone, clock: rig.clock }, entry, "send-again", "ann")).toBe("done");
    expect(await adapter.deliveries.count(1)).toMatchObject([{ reply: { id: "r1" }, mayRepeat: true }]);
    expect(await inboxOf("ann")).toEqual([]);
  });

  it("when a reply may have been published before, then it is marked as a possible duplicate", async () => {
    const adapter = new LogChannel("log");
    await run(adapter);
    await rig.publish("r1", logTarget, "hello", { mayRepeat: true });
    expect(await adapter.deliveries.count(1)).toMatchObject([{ mayRepeat: true }]);
  });
});

describe("given the inbox that an adapter gets at its start", () => {
  const message = (text: string) => sampleMessage({ id: "log:1", conversation: logTarget, text });

  it("when it accepts duplicates of a message, then core gets the message once", async () => {
    const adapter = new LogChannel("log");
    await run(adapter);
    await adapter.inbox?.accept(message("hi"));
    await adapter.inbox?.accept(message("hi"));
    const receivedTexts = new Recorder<string>();
    const consumer = await rig.backbone.bus.consume(
      subjectsOf("default").userMessage("mooring"),
      { durable: "core", concurrency: 1 },
      async ({ text }) => {
        receivedTexts.add(text);
        return { ack: true };
      },
    );
    await receivedTexts.count(1);
    await consumer.close();
    expect(receivedTexts.items).toEqual(["hi"]);
    expect(rig.checkpoints.items).toEqual(["inbox.before", "inbox.stored", "inbox.before", "inbox.stored"]);
  });

  it("when a message is too large, then the adapter gets an error", async () => {
    const adapter = new LogChannel("log");
    await run(adapter);
    const refusal = adapter.inbox?.accept(message("x".repeat(600_000)));
    await expect(refusal).rejects.toMatchObject({ code: "too-large" });
    expect(rig.meter.counts.get("messages_refused_total{channel=log}")).toBe(1);
  });
});

describe("given a channel that does not start", () => {
  it("when a retry succeeds, then replies from the meantime are delivered", async () => {
    const adapter = new LogChannel("queue", { connection: "shared", resend: "repeats" });
    let attempts = 0;
    adapter.beforeStart = async () => {
      if (attempts++ < 2) throw new AppError("unavailable", "no route to the platform");
    };
    const running = await run(adapter);
    expect(running.health()).toEqual({ ok: false, reason: "no route to the platform" });
    await rig.publish("r1", room("a", "queue"), "hello");
    await rig.clock.passNext(1_000);
    await rig.clock.passNext(2_000);
    await adapter.deliveries.count(1);
    expect(running.health()).toEqual({ ok: true, standby: false });
  });
});

describe("given a channel whose start hangs", () => {
  it("when it times out, then it is stopped and started again", async () => {
    const adapter = new LogChannel("queue", { connection: "shared", resend: "repeats" });
    let attempts = 0;
    adapter.beforeStart = () => (attempts++ === 0 ? new Promise(() => undefined) : Promise.resolve());
    const starting = run(adapter);
    await rig.clock.passNext(START_MS);
    const running = await starting;
    expect(running.health()).toMatchObject({ ok: false, reason: expect.stringContaining("did not start within") });
    await rig.clock.passNext(1_000);
    await adapter.events.until((events) => events.includes("start"));
    expect(adapter.events.items).toEqual(["stop", "start"]);
  });
});

describe("given a channel that stops", () => {
  it("when a delivery is in progress, then it ends, and the next one waits for the next start", async () => {
    const adapter = new LogChannel("queue", { connection: "shared", resend: "repeats" });
    let release = () => {};
    const started = new Recorder<string>();
    adapter.before = (delivery) => {
      started.add(delivery.id);
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    const running = await run(adapter);
    await rig.publish("r1", room("a", "queue"), "first");
    await rig.publish("r2", room("a", "queue"), "second");
    await started.count(1);
    const stopping = running.stop();
    await adapter.events.until((events) => events.includes("stop"));
    release();
    await stopping;
    expect(adapter.deliveries.items.map(({ part }) => part.markdown)).toEqual(["first"]);
    adapter.before = async () => undefined;
    await run(adapter);
    await adapter.deliveries.count(2);
    expect(adapter.deliveries.items.map(({ part }) => part.markdown)).toEqual(["first", "second"]);
  });

  it("when a delivery never ends, then the stop times out", async () => {
    const adapter = new LogChannel("queue", { connection: "shared", resend: "repeats" });
    const started = new Recorder<string>();
    let release = () => {};
    adapter.before = (delivery) => {
      started.add(delivery.id);
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    const running = await runChannel(rig.context, adapter, "gateway-1");
    await rig.publish("r1", room("a", "queue"), "first");
    await started.count(1);
    const stopping = running.stop();
    await rig.clock.passNext(15_000);
    await stopping;
    release();
  });
});

describe("given an exclusive channel on two gateways", () => {
  const exclusive = () => new LogChannel("queue", { connection: "exclusive", resend: "repeats" });

  it("when both run, then only one connects and sends, and the other takes over when it stops", async () => {
    const [first, second] = [exclusive(), exclusive()];
    const firstRunning = await run(first, "gateway-1");
    const secondRunning = await run(second, "gateway-2");
    expect(firstRunning.health()).toEqual({ ok: true, standby: false });
    expect(secondRunning.health()).toEqual({ ok: true, standby: true });
    await rig.publish("r1", room("a", "queue"), "one");
    await first.deliveries.count(1);
    expect(second.events.items).toEqual([]);
    await firstRunning.stop();
    await rig.clock.passNext(10_000 / 6, 10_000 / 6);
    await second.events.until((events) => events.includes("start"));
    await rig.publish("r2", room("a", "queue"), "two");
    await second.deliveries.count(1);
    expect(first.events.items).toEqual(["start", "r1/+queue/-/+a/-/0", "stop"]);
  });
});

describe("given signals of the agent (D8)", () => {
  const signal = (type: "typing", name: string) =>
    rig.backbone.bus.signal(subjectsOf("default").userSignal("mooring"), { type, conversation: room(name, "log") });

  it("when typing signals are frequent, then typing is shown once per 4 s and conversation", async () => {
    const adapter = new LogChannel("log");
    await run(adapter);
    for (let turn = 0; turn < 5; turn++) signal("typing", "a");
    signal("typing", "b");
    await adapter.signals.count(6);
    expect(adapter.typing.items.map((conversation) => conversation.room)).toEqual(["a", "b"]);
    rig.clock.advance(3_999);
    signal("typing", "a");
    await adapter.signals.count(7);
    expect(adapter.typing.items).toHaveLength(2);
    rig.clock.advance(1);
    signal("typing", "a");
    await adapter.typing.count(3);
  });

  it("when a signal is for another channel, then it is ignored", async () => {
    const [log, other] = [new LogChannel("log"), new LogChannel("other")];
    await run(log);
    await run(other);
    signal("typing", "a");
    await log.signals.count(1);
    expect(other.signals.items).toEqual([]);
  });
});
