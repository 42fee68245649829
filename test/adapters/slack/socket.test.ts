import { describe, expect, it } from "vitest";
import { AppError } from "../../../core/contract/app-error.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { failureOf } from "../../contract/channel/contract-rig.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { quickLimits } from "./make-slack-adapter.ts";
import type { RunningSlack } from "./running-slack.ts";
import { runSlack } from "./running-slack.ts";

const greeted = ({ slack }: RunningSlack, times: number) => slack.sockets.greeted.count(times);

/** Checks that messages arrive over the socket. */
const expectMessages = async ({ slack, accepted }: RunningSlack, text = "still there?") => {
  expect((await accepted(slack.say({ text }))).text).toBe(text);
};

describe("given a socket to Slack (C3)", () => {
  it("when Slack requests a reconnect, then a new socket is opened, and messages arrive", async () => {
    const running = await runSlack("socket");
    for (let round = 1; round <= 3; round++) {
      running.slack.sockets.refresh();
      await greeted(running, round + 1);
    }
    await expectMessages(running);
    expect(running.adapter.health()).toEqual({ ok: true });
  });

  it("when the network drops it, then it reconnects", async () => {
    const running = await runSlack("socket");
    running.slack.sockets.drop();
    await greeted(running, 2);
    await expectMessages(running);
  });

  it("when it drops before a message is acknowledged, then Slack redelivers the message, with the same id", async () => {
    const { slack, inbox, logger } = await runSlack("socket");
    inbox.refuseNext(new AppError("unavailable", "the store is away"));
    const said = slack.say({ text: "do not forget" });
    await logger.lines.until((lines) => lines.some(({ message }) => message.startsWith("could not store")));
    expect(inbox.accepted.items).toEqual([]);
    slack.sockets.drop();
    expect(await said).toMatchObject({ answer: "acknowledged" });
    expect(inbox.offered.items).toHaveLength(2);
    expect(new Set(inbox.offered.items.map(({ id }) => id)).size).toBe(1);
  });

  it.each<[string, (running: RunningSlack) => void]>([
    ["the request for its address fails (503)", ({ slack }) => fail(slack, "503")],
    ["the request for its address is cut", ({ slack }) => fail(slack, "cut-after-accept")],
    ["the response is not JSON", ({ slack }) => fail(slack, "no-json")],
    ["Slack limits the rate", ({ slack }) => fail(slack, "429")],
    ["the token is revoked", ({ slack }) => fail(slack, "token_revoked")],
    ["Socket Mode is switched off", ({ slack }) => fail(slack, "link_disabled")],
    [
      "upgrades are refused",
      ({ slack }) => {
        slack.sockets.behaviour = "refusing";
      },
    ],
  ])("when it cannot reconnect because %s, then health reports it, and it reconnects afterwards", async (_, spoil) => {
    const running = await runSlack("socket");
    const { slack, adapter, logger } = running;
    spoil(running);
    slack.sockets.drop();
    await logger.lines.until((lines) => lines.filter(({ level }) => level === "warn").length >= 3);
    expect(adapter.health()).toMatchObject({ ok: false, reason: expect.any(String) });
    slack.recover();
    slack.sockets.behaviour = "normal";
    await greeted(running, 2);
    await expectMessages(running);
    expect(adapter.health()).toEqual({ ok: true });
  });

  it("when Slack sends no hello, then it reconnects", async () => {
    let waits = true;
    const helloMs = 3_600_000;
    const after = (ms: number, callback: () => void) => systemClock.after(ms === helloMs && !waits ? 0 : ms, callback);
    const running = await runSlack("socket", { limits: { ...quickLimits, helloMs }, clock: { ...systemClock, after } });
    const { slack, logger } = running;
    waits = false;
    slack.sockets.behaviour = "silent";
    slack.sockets.drop();
    await logger.lines.until((lines) => lines.some(({ fields }) => String(fields.error).includes("no hello")));
    waits = true;
    slack.sockets.behaviour = "normal";
    await greeted(running, 2);
    await expectMessages(running);
  });

  it("when the token is invalid at start, then the start fails, and health reports the remedy", async () => {
    const { adapter, inbox, slack } = await runSlack("socket", { start: false });
    slack.appToken = "xapp-1-A0OTHER-0-other";
    await expect(adapter.start(inbox)).rejects.toThrow();
    expect(adapter.health()).toMatchObject({ reason: expect.stringContaining("app-level token") });
    await adapter.stop();
  });

  it.each([
    "not JSON",
    "7",
    "null",
    JSON.stringify({ type: "events_api" }),
    JSON.stringify({ type: "events_api", envelope_id: "e", payload: {} }),
    JSON.stringify({ type: "events_api", envelope_id: "e", payload: { event: null } }),
    JSON.stringify({ type: "interactive", envelope_id: "e" }),
    JSON.stringify({ type: "moon_landing", envelope_id: "e", payload: { type: "moon_landing" } }),
  ])("when it receives the frame %j, then there is no unhandled rejection, and messages arrive", async (frame) => {
    const rejections = new Recorder<unknown>();
    const note = (reason: unknown) => rejections.add(reason);
    process.on("unhandledRejection", note);
    try {
      const running = await runSlack("socket");
      running.slack.sockets.sendRaw(frame);
      await expectMessages(running);
      expect(running.inbox.offered.items).toHaveLength(1);
      expect(rejections.items).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });

  it("when the channel stops during a reconnect, then no socket is left open", async () => {
    const { slack, adapter, logger } = await runSlack("socket");
    slack.faultIn = (method) => (method === "apps.connections.open" ? "hang" : undefined);
    slack.sockets.drop();
    await slack.calls.until((calls) => calls.filter(({ method }) => method === "apps.connections.open").length >= 2);
    const stopped = adapter.stop();
    slack.recover();
    await stopped;
    expect(slack.sockets.sockets).toEqual([]);
    const lines = logger.lines.items.length;
    expect(await slack.say({ text: "anybody?" })).toMatchObject({ answer: "none" });
    expect(logger.lines.items).toHaveLength(lines);
  });

  it.each(["auth.test", "apps.connections.open"])(
    "when the channel stops while it starts (%s), then no socket is left open",
    async (slow) => {
      const { slack, adapter, inbox } = await runSlack("socket", { start: false });
      slack.faultIn = (method) => (method === slow ? "hang" : undefined);
      const starting = failureOf(adapter.start(inbox));
      await slack.calls.until((calls) => calls.some(({ method }) => method === slow));
      const stopped = adapter.stop();
      slack.recover();
      await stopped;
      expect(await starting).toBeInstanceOf(Error);
      expect(slack.sockets.sockets).toEqual([]);
      expect(await slack.say({ text: "anybody?" })).toMatchObject({ answer: "none" });
      expect(inbox.offered.items).toEqual([]);
    },
  );

  it("when sockets end right after they open, then the reconnect is delayed", async () => {
    const limits = { ...quickLimits, reconnectMs: 3_600_000, maxReconnectMs: 3_600_000 };
    const running = await runSlack("socket", { limits });
    running.slack.sockets.drop();
    await greeted(running, 2);
    running.slack.sockets.drop();
    await running.logger.lines.until(
      (lines) => lines.filter(({ message }) => message === "Slack closed the socket").length === 2,
    );
    expect(running.slack.sockets.sockets).toEqual([]);
    expect(running.adapter.health()).toMatchObject({ ok: false });
  });
});

const fail = (slack: RunningSlack["slack"], fault: string): void => {
  slack.faultIn = (method) => (method === "apps.connections.open" ? fault : undefined);
};
