import { describe, expect, it } from "vitest";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { Config } from "../../config/schema/config.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { RelayContext } from "../../gateway/relay/context.ts";
import { admitsOn, limitedAccess } from "../../gateway/relay/inbound/channel-rules.ts";
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
    const reportGone = async (...args: unknown[]) => void reported.push(args);
    const reply = sampleReply("r1", dm("web"), "secret words");
    const context = { meter, logger, reportGone } as unknown as RelayContext;
    expect(await withheld(context, { id: "r1/web", reply, target: dm("web") })).toEqual({ ack: true });
    expect(meter.counts).toEqual({ "deliveries_total web withheld": 1 });
    expect(logger.lines.items).toMatchObject([
      { level: "info", fields: { channel: "web", delivery: "r1/web", traceId: "trace-r1" } },
    ]);
    expect(JSON.stringify(logger.lines.items)).not.toContain("secret words");
    expect(reported).toEqual([[reply, dm("web"), ACCESS_LOST]]);
  });
});
