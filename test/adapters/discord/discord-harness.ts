import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { defaultTiming } from "../../../adapters/discord/api/timing.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type { ChannelHarness, PlatformFault, Said } from "../../contract/channel-harness.ts";
import { FakeDiscord } from "../../fakes/discord/fake-discord.ts";
import type { RestFault } from "../../fakes/discord/fake-rest.ts";
import { smallPrintOf } from "../../fakes/discord/post-input.ts";
import { HeldClock } from "../../fakes/held-clock.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { MemoryStore } from "../web/memory-store.ts";
import { CrashingStore } from "./crashing-store.ts";
import { makeDiscordAdapter } from "./make-discord-adapter.ts";

const FAULTS: Record<PlatformFault, RestFault> = {
  "rate-limited": "rate-limited",
  unavailable: "unavailable",
  "answer-lost": "answer-lost",
  "target-gone": { status: 404, body: { message: "Unknown Channel", code: 10_003 } },
  forbidden: { status: 403, body: { message: "Missing Permissions", code: 50_013 } },
  hanging: "hanging",
};

/** Sets up Discord for the contract suite. It has no acknowledgements, so the inbox's decisions stand in for them. */
export const discordHarness = async ({ channel }: { channel: string }): Promise<ChannelHarness> => {
  const discord = await FakeDiscord.start();
  const { world, gateway, rest } = discord;
  const room = world.addRoom(world.addGuild("harbour"));
  const memory = new MemoryStore(systemClock);
  let store = new CrashingStore(memory);
  const clock = new HeldClock(defaultTiming.stopWithinMs);
  const makeAdapter = () =>
    makeDiscordAdapter(discord, { channel, store, clock, timing: { stopWithinMs: defaultTiming.stopWithinMs } });
  let adapter = makeAdapter();
  /** Ids of messages that the inbox has accepted or refused. */
  const settled = new Recorder<{ id: string; accepted: boolean }>();
  /** The ids since the last start: the adapter drops their duplicates. */
  const taken = new Set<string>();
  const times = (id: string) => settled.items.filter((each) => each.id === id).length;
  const watched = (inbox: Inbox): Inbox => ({
    accept: (message) =>
      inbox.accept(message).then(
        (accepted) => {
          taken.add(message.id);
          settled.add({ id: message.id, accepted: true });
          return accepted;
        },
        (error) => {
          settled.add({ id: message.id, accepted: false });
          throw error;
        },
      ),
  });
  const events = new Map<string, string>();
  const idOf = (event: string) => {
    const id = events.get(event) ?? world.ids.next();
    events.set(event, id);
    return id;
  };
  return {
    get adapter() {
      return adapter;
    },
    kinds: ["private", "shared"],
    hostile: { massMention: "@everyone", anchor: '-# ↳ Re: "deep research" · <t:1735689600:R>' },
    start(inbox) {
      taken.clear();
      return adapter.start(watched(inbox));
    },
    async restart(inbox) {
      const lastOfEach = new Map(settled.items.filter(({ accepted }) => accepted).map(({ id }) => [channelOf(id), id]));
      const before = [...lastOfEach.values()].map((id) => ({ id, times: times(id) }));
      store.crash();
      await adapter.stop();
      store = new CrashingStore(memory);
      adapter = makeAdapter();
      taken.clear();
      await adapter.start(watched(inbox));
      // Possibly missed messages are fetched first.
      await settled.until(() => before.every(({ id, times: known }) => times(id) > known));
    },
    async userSays({ text, person = "ann", kind = "private", event }: Said) {
      const where = kind === "private" ? world.privateChannel(world.person(person)) : room;
      const id = event === undefined ? world.ids.next() : idOf(event);
      const messageId = `${channel}:${id}`;
      const before = times(messageId);
      const saying = { person, in: where, text, mention: kind === "shared", more: { id } };
      if (world.messages.some((message) => message.id === id)) world.remove(id);
      discord.say(saying);
      if (gateway.live.length === 0 || taken.has(messageId)) return "none";
      await settled.until(() => times(messageId) > before);
      return "none";
    },
    async posted(atLeast) {
      await discord.untilPosted(atLeast);
      return discord.posted.map((message) => ({
        text: message.content,
        anchored: smallPrintOf(message).length > 0,
        pings: message.pings,
        messageId: message.id,
        where: message.channel_id,
      }));
    },
    breakPlatform(fault) {
      const concerned = /^\/channels\/\d+\/messages/;
      rest.faultIn = ({ method, path }) => (method !== "GET" && concerned.test(path) ? FAULTS[fault] : undefined);
    },
    recoverPlatform: () => rest.recover(),
    expireStop: () => clock.expire(),
    removePost: (messageId) => world.remove(messageId),
    async close() {
      await adapter.stop();
      await discord.stop();
    },
  };

  function channelOf(messageId: string): string {
    const platformId = messageId.slice(channel.length + 1);
    return world.messages.find(({ id }) => id === platformId)?.channel_id ?? "";
  }
};
