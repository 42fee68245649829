import { describe, expect, it } from "vitest";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { Config } from "../../config/schema/config.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import { admitsOn, deliveryDefaults, limitedAccess } from "../../gateway/relay/channel-rules.ts";
import type { RelayContext } from "../../gateway/relay/context.ts";
import { ACCESS_LOST, withheld } from "../../gateway/relay/sending/outcomes.ts";
import { RecordingLogger } from "../fakes/recording-logger.ts";
import { RecordingMeter } from "../fakes/recording-meter.ts";
import { sampleReply } from "../fakes/sample-reply.ts";

const dm = (channel: string): Conversation => ({ channel, room: "dm", kind: "private" });

describe("given an agent with channels (I2)", () => {
  const channels = {
    open: { agent: "mooring" },
    listed: { agent: "mooring", access: { accounts: ["ann"] } },
    others: { agent: "harbour" },
  };
  const isOpen = admitsOn({ channels } as unknown as Config, "mooring");

  it("then each admits the accounts of its own access rules", () => {
    expect(isOpen(dm("open"), "bob")).toBe(true);
    expect(isOpen(dm("listed"), "bob")).toBe(false);
    expect(isOpen(dm("listed"), "ann")).toBe(true);
  });

  it("then a channel of another agent, or one that is no longer configured, admits no account", () => {
    expect(isOpen(dm("others"), "ann")).toBe(false);
    expect(isOpen(dm("gone"), "ann")).toBe(false);
  });
});

describe("given the rate limit of an account (I2)", () => {
  const platform = {} as ChannelAdapter;

  it("when none is configured, then it is 120 messages a minute, and the other rules are unchanged", () => {
    expect(limitedAccess({ accounts: ["ann"] }, platform)).toEqual({ accounts: ["ann"], messagesPerMinute: 120 });
    expect(limitedAccess(undefined, platform)).toEqual({ messagesPerMinute: 120 });
    expect(limitedAccess({ messagesPerMinute: 5 }, platform)).toEqual({ messagesPerMinute: 5 });
  });

  it("when the channel has sockets, which it limits itself, then no limit is added", () => {
    const sockets = { socket: {} } as unknown as ChannelAdapter;
    expect(limitedAccess({ accounts: ["ann"] }, sockets)).toEqual({ accounts: ["ann"] });
    expect(limitedAccess(undefined, sockets)).toBeUndefined();
  });
});

describe("given a delivery whose target has lost its access (D3)", () => {
  it("then it is counted, logged without its text, reported, and not retried", async () => {
    const meter = new RecordingMeter();
    const logger = new RecordingLogger();
    const reported: unknown[] = [];
    const reportUndeliverable = async (...args: unknown[]) => void reported.push(args);
    const reply = sampleReply("r1", dm("web"), "secret words");
    const context = { meter, logger, reportUndeliverable } as unknown as RelayContext;
    expect(await withheld(context, { id: "r1/web", reply, target: dm("web") })).toEqual({ ack: true });
    expect(meter.counts).toEqual({ "deliveries_total web withheld": 1 });
    expect(logger.lines.items).toMatchObject([
      { level: "info", fields: { channel: "web", delivery: "r1/web", traceId: "trace-r1" } },
    ]);
    expect(JSON.stringify(logger.lines.items)).not.toContain("secret words");
    expect(reported).toEqual([[reply, dm("web"), ACCESS_LOST]]);
  });
});

describe("given defaults for proactive messages, of an agent and of its channels (D2)", () => {
  const night = { from: "22:00", to: "07:00" };
  const lunch = { from: "12:00", to: "13:00" };
  const agents = [
    { name: "harbour", delivery: { policy: { default: "everywhere" } } },
    { name: "mooring", delivery: { policy: { default: "origin", shared: "origin" }, quietHours: night } },
    { name: "silent" },
  ];
  const channels = {
    plain: {},
    own: { delivery: { policy: { shared: "everywhere" }, quietHours: lunch }, timeZone: "Europe/Berlin", locale: "de" },
  };
  const defaults = (agent: string, channel: string) =>
    deliveryDefaults({ agents, channels } as unknown as Config, agent)(channel);

  it("when the channel has settings of its own, then they override those of the agent", () => {
    expect(defaults("mooring", "own")).toEqual({
      policy: { default: "origin", shared: "everywhere" },
      quietHours: lunch,
      timeZone: "Europe/Berlin",
      locale: "de",
    });
  });

  it("when the channel has none, or is not configured, then those of the agent apply", () => {
    const common = { policy: { default: "origin", shared: "origin" }, quietHours: night };
    expect(defaults("mooring", "plain")).toEqual(common);
    expect(defaults("mooring", "missing")).toEqual(common);
  });

  it("when the agent has none, then only those of the channel apply", () => {
    expect(defaults("silent", "own")).toMatchObject({ policy: { shared: "everywhere" }, quietHours: lunch });
    expect(defaults("silent", "plain")).toEqual({ policy: {} });
    expect(defaults("unknown", "plain")).toEqual({ policy: {} });
  });
});
