import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { runChannel } from "../../../gateway/relay/run-channel.ts";
import { FakeDiscord } from "../../fakes/discord/fake-discord.ts";
import type { FakeChannel } from "../../fakes/discord/world.ts";
import { Recorder } from "../../fakes/recorder.ts";
import type { RelayRig } from "../../gateway/relay/relay-rig.ts";
import { openRelayRig } from "../../gateway/relay/relay-rig.ts";
import { makeDiscordAdapter } from "./make-discord-adapter.ts";

let rig: RelayRig;
let discord: FakeDiscord;
let dm: FakeChannel;
beforeEach(async () => {
  rig = await openRelayRig();
  discord = await FakeDiscord.start();
  dm = discord.world.privateChannel(discord.world.person("ann"));
});
afterEach(async () => {
  await rig.close();
  await discord.stop();
});

const run = async () => {
  const { store } = rig.backbone;
  const adapter = makeDiscordAdapter(discord, { store });
  const running = await runChannel(rig.context, adapter, "gateway-1");
  rig.closes(() => running.stop());
  return running;
};
const toAnn = () => ({ channel: "discord", room: dm.id, kind: "private" as const });
const onPosts = (fault: ReturnType<FakeDiscord["rest"]["faultIn"]>, times = Number.POSITIVE_INFINITY) => {
  let left = times;
  discord.rest.faultIn = ({ method, path }) =>
    method === "POST" && path.endsWith("/messages") && left-- > 0 ? fault : undefined;
};

describe("given proactive messages (D4, D5, D6)", () => {
  it("when the person does not accept messages of the bot, then the message is in the inbox, with the reason", async () => {
    dm.refuses = 50_007;
    await run();
    await rig.publish("r1", toAnn(), "the result");
    const [letter] = await rig.untilDead(1);
    expect(letter).toMatchObject({ reason: expect.stringMatching(/^forbidden: .*not accept direct messages.*50007/) });
    expect(discord.posted).toEqual([]);
  });

  it("when a response of Discord is lost, then the message is retried with the same nonce, and people see it once", async () => {
    await run();
    onPosts("answer-lost", 1);
    await rig.publish("r1", toAnn(), "the result");
    await rig.clock.passNext(1_000);
    await rig.checkpoints.until((names) => names.includes("delivery.marked"));
    expect(discord.posted.map(({ content }) => content)).toEqual(["the result"]);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
  });

  it("when Discord limits the rate, then the conversation waits that long, and others do not", async () => {
    await run();
    const bob = discord.world.privateChannel(discord.world.person("bob"));
    discord.rest.faultIn = ({ path }) => (path === `/channels/${dm.id}/messages` ? "rate-limited" : undefined);
    await rig.publish("r1", toAnn(), "for ann");
    await rig.publish("r2", { ...toAnn(), room: bob.id }, "for bob");
    await discord.untilPosted(1);
    expect(discord.posted).toMatchObject([{ channel_id: bob.id }]);
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "delivery failed, retrying"));
    discord.rest.recover();
    await rig.clock.passNext(1_000);
    expect((await discord.untilPosted(2)).map(({ content }) => content)).toEqual(["for bob", "for ann"]);
  });

  it("when the text is longer than a message, then all parts arrive in order, with the anchor first (D7, O9)", async () => {
    rig.anchor = { summary: "a long story", channel: "slack", startedAt: "2025-01-01T00:00:00.000Z", text: "" };
    await run();
    const words = Array.from({ length: 1_500 }, (_, index) => `word${index}`);
    await rig.publish("r1", toAnn(), words.join(" "));
    await discord.world.changes.until(() => discord.posted.some(({ content }) => content.includes("word1499")));
    const seen = discord.posted.map(({ content }) => content);
    expect(seen.every(({ length }) => length <= 2_000)).toBe(true);
    expect(seen.join(" ").match(/word\d+/g)).toEqual(words);
    expect(seen.map((text) => text.includes("-# ↳ Re:"))).toEqual(seen.map((_, index) => index === 0));
  });
});

describe("given a solicited answer (D8)", () => {
  const signals = subjectsOf("default").userSignal("mooring");
  /** Resolves once the channel has received the signal. */
  const write = async (text: string, offset = 0) => {
    const delta = { conversation: toAnn(), correlationId: "discord:1", replyId: "r1", attempt: 0, offset, text };
    const received = new Recorder<unknown>();
    const listener = await rig.backbone.bus.listen(signals, (signal) => received.add(signal));
    rig.backbone.bus.signal(signals, { type: "delta", ...delta });
    await received.count(1);
    listener.close();
  };
  const until = (isSo: (contents: string[]) => boolean) =>
    discord.world.changes.until(() => isSo(discord.posted.map(({ content }) => content)));

  it("when the model writes for a while, then the message is edited until the answer is complete", async () => {
    await run();
    await write("The tide ");
    await rig.clock.passNext(1_000);
    await until(([first]) => first === "The tide …");
    await rig.checkpoints.until((names) => names.includes("delivery.marked"));
    await write("comes in.", 9);
    await rig.clock.passNext(1_200);
    await until(([first]) => first === "The tide comes in. …");
    await rig.publish("r1", toAnn(), "The tide comes in. Twice a day.", { correlationId: "discord:1" });
    await until(([first]) => first === "The tide comes in. Twice a day.");
    expect(discord.posted).toHaveLength(1);
  });

  it("when the complete answer needs more messages than expected, then they follow the first one, in order", async () => {
    await run();
    await write("Stars ");
    await rig.clock.passNext(1_000);
    await until(({ length }) => length === 1);
    await rig.checkpoints.until((names) => names.includes("delivery.marked"));
    const words = Array.from({ length: 190 }, (_, index) => `*_*${index}`);
    await rig.publish("r1", toAnn(), words.join(" "), { correlationId: "discord:1" });
    await until((contents) => contents.at(-1)?.includes("189") ?? false);
    const seen = discord.posted.map(({ content }) => content).join(" ");
    expect(discord.posted.length).toBeGreaterThan(1);
    expect(seen).not.toContain("Stars");
    expect(seen.match(/\d+/g)).toEqual(words.map((_, index) => String(index)));
  });
});

describe("given a channel whose connection Discord ends permanently", () => {
  it("then health reports the reason, and waiting messages are sent after the reconnect", async () => {
    const running = await run();
    expect(running.health()).toEqual({ ok: true, standby: false });
    discord.rest.faultIn = () => ({ status: 401, body: { message: "401: Unauthorized", code: 0 } });
    discord.gateway.close(4_004);
    await discord.rest.calls.until((calls) => calls.filter(({ path }) => path === "/gateway/bot").length >= 3);
    expect(running.health()).toMatchObject({ ok: false, reason: expect.stringContaining("refuses the bot token") });
    await rig.publish("r1", toAnn(), "the result");
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "delivery failed, retrying"));
    discord.rest.recover();
    await discord.gateway.events.until((events) => events.filter((event) => event === "identified").length === 2);
    await rig.clock.passNext(1_000, 4_000);
    await discord.untilPosted(1);
    expect(running.health()).toEqual({ ok: true, standby: false });
  });
});
