import { expect, it } from "vitest";
import { watchChannel } from "../../../gateway/channel-status/channel-watch.ts";
import type { ChannelHealth } from "../../../gateway/relay/run-channel.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

it("given a degraded channel, when it starts slowly and its reason keeps changing, then each change of state is logged once (F33)", () => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  let health: ChannelHealth = { ok: true, standby: false };
  let changes = 0;
  const running = {
    channel: "discord",
    firstAttempt: Promise.resolve(),
    health: () => health,
    setPaused: async () => undefined,
    stop: async () => undefined,
  };
  const watch = watchChannel(running, { clock, logger, changed: () => changes++ });
  health = { ok: false, reason: "starting", starting: true };
  clock.advance(5_000);
  for (let seconds = 60; seconds < 65; seconds++) {
    health = { ok: false, reason: `no connection to Discord for ${seconds} s` };
    clock.advance(1_000);
  }
  health = { ok: true, standby: false };
  clock.advance(1_000);
  expect(logger.lines.items).toEqual([
    {
      level: "error",
      message: "channel degraded",
      fields: { channel: "discord", reason: "no connection to Discord for 60 s" },
    },
    { level: "info", message: "channel recovered", fields: { channel: "discord" } },
  ]);
  expect(changes).toBe(2);
  watch.cancel();
  expect(clock.pending).toBe(0);
});
