import { randomUUID } from "node:crypto";
import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { SlackAdapter } from "../../../adapters/slack/adapter.ts";
import { SlackConfig } from "../../../adapters/slack/config.ts";
import { defaultSlackLimits, type SlackLimits } from "../../../adapters/slack/web-api.ts";
import { alwaysWritable } from "../../../core/contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { type Logger, silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import type { ChannelHarness, PlatformFault, Said } from "../../contract/channel-harness.ts";
import { HeldClock } from "../../fakes/held-clock.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { textsOf } from "../../fakes/slack/check-blocks.ts";
import { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import type { SlackMessage } from "../../fakes/slack/slack-world.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";
import { MemoryStore } from "../web/memory-store.ts";

export type SlackMode = "http" | "socket";

const FAULTS: Record<PlatformFault, string> = {
  "rate-limited": "429",
  unavailable: "503",
  "answer-lost": "cut-after-accept",
  "target-gone": "channel_not_found",
  forbidden: "not_in_channel",
  hanging: "hang",
};

/** Shorter than in the product, so that tests are quick. */
export const quickLimits: SlackLimits = {
  ...defaultSlackLimits,
  stopMs: 1_000,
  helloMs: 2_000,
  reconnectMs: 10,
  maxReconnectMs: 50,
};

export interface AdapterOptions {
  readonly channel?: string;
  readonly config?: object;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly limits?: SlackLimits;
}

export const slackAdapter = (slack: FakeSlack, mode: SlackMode, options: AdapterOptions = {}): SlackAdapter => {
  const { channel = "main", config = {}, clock = systemClock, logger = silentLogger, limits = quickLimits } = options;
  const { botToken, appToken, signingSecret, apiUrl } = slack;
  const way = mode === "http" ? { signingSecret } : { appToken };
  return new SlackAdapter(
    SlackConfig.parse({ adapter: "slack", botToken, apiUrl, ...way, ...config }),
    {
      channel,
      tenant: "default",
      agent: "mooring",
      publicUrl: "http://localhost",
      store: new MemoryStore(clock),
      signal: () => undefined,
      writes: alwaysWritable,
      commands: [],
      sessionOf: async () => "s-1",
      clock,
      logger,
      meter: silentMeter,
      newId: randomUUID,
    },
    limits,
  );
};

/** Sets up Slack for the contract suite. */
export const slackHarness =
  (mode: SlackMode) =>
  async ({ channel }: { channel: string }): Promise<ChannelHarness> => {
    const slack = await FakeSlack.start();
    const host = await new WebhookHost().open();
    if (mode === "http") slack.sendEventsTo(host.urlOf(channel, "events"));
    const limits = { ...quickLimits, stopMs: defaultSlackLimits.stopMs };
    const clock = new HeldClock(limits.stopMs);
    let adapter = slackAdapter(slack, mode, { channel, clock, limits });
    const named = new Map<string, string>();
    const unstored = new Recorder<"none">();
    /** Over a socket Slack gets no refusal, so this records messages that were not stored. */
    const watched = (inbox: Inbox): Inbox => ({
      async accept(message) {
        await inbox.accept(message).catch((error: unknown) => {
          if (mode === "socket") unstored.add("none");
          throw error;
        });
      },
    });
    const thread = slack.world.nextTs();
    return {
      get adapter() {
        return adapter;
      },
      kinds: ["private", "shared"],
      hostile: {
        massMention: "<!channel> <!here|here> <@U0BOB> @here @channel",
        anchor: "<!date^1736000000^{time}|then>",
      },
      async start(inbox) {
        host.mount(adapter);
        await adapter.start(watched(inbox));
      },
      async restart(inbox) {
        slack.sockets.drop();
        await adapter.stop();
        adapter = slackAdapter(slack, mode, { channel, clock, limits });
        host.mount(adapter);
        await adapter.start(watched(inbox));
      },
      async userSays({ text, person = "ann", kind = "private", event = randomUUID() }: Said) {
        const ts = named.get(event) ?? slack.world.nextTs();
        named.set(event, ts);
        const user = `U0${person.toUpperCase()}`;
        const mention = `<@${slack.world.botUserId}> ${text}`;
        const said =
          kind === "private"
            ? slack.say({ user, text, ts })
            : slack.say({ user, text: mention, ts, thread, room: "C0LOBBY", as: "app_mention" });
        const lost = unstored.count(unstored.items.length + 1).then(() => ({ answer: "none" as const }));
        return (await Promise.race([said, lost])).answer;
      },
      async posted(atLeast) {
        return (await slack.until((posted) => posted.length >= atLeast)).map(seen);
      },
      breakPlatform(fault) {
        slack.faultIn = (method) => (method.startsWith("chat.") ? FAULTS[fault] : undefined);
      },
      recoverPlatform: () => slack.recover(),
      expireStop: () => clock.expire(),
      removePost(messageId) {
        const at = slack.world.messages.findIndex(({ ts }) => ts === messageId);
        slack.world.messages.splice(at, 1);
      },
      async close() {
        await adapter.stop();
        await host.close();
        await slack.stop();
      },
    };
  };

/** A message as a client shows it: its blocks, or its text if it has no blocks. */
const seen = (message: SlackMessage) => {
  const all = [...message.blocks, ...message.attachments.flatMap(({ blocks = [] }) => blocks)];
  const sections = message.blocks.filter(({ type }) => type === "section");
  const written = message.blocks.length > 0 ? textsOf(sections).join("\n") : message.text;
  return {
    text: written.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
    anchored: all.some(({ type }) => type === "context") || written.includes("<!date"),
    pings: message.pings === true,
    messageId: message.ts,
    where: `${message.room}/${message.thread ?? ""}`,
  };
};
