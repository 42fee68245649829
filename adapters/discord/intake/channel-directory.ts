import { Routes } from "discord.js";
import { BoundedCache } from "../../../core/contract/bounded-cache.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import type { RestCalls } from "../api/rest-calls.ts";
import type { Dispatch } from "../connection/contained-strategy.ts";
import { DiscordChannel, GuildCreate } from "../payload.ts";

/** https://docs.discord.com/developers/resources/channel#channel-object-channel-types */
const PUBLIC_THREADS = new Set([10, 11]);

/** `parentId`: only for a public thread, which every member of its channel can read. */
interface ChannelInfo {
  readonly guildId: string;
  readonly parentId: string | undefined;
}

const MAX_CACHED = 50_000;

/** Maps channels to conversations, because messages do not say whether their channel is a thread, and of which channel. */
export class ChannelDirectory {
  readonly #channel: string;
  readonly #rest: RestCalls;
  readonly #channels = new BoundedCache<string, ChannelInfo>(MAX_CACHED);

  constructor(channel: string, rest: RestCalls) {
    this.#channel = channel;
    this.#rest = rest;
  }

  /**
   * The conversation of a Discord channel; undefined if the channel does not exist or the bot does not see it. A
   * private thread (type 12) is a separate room, because only some members of its channel can read it.
   */
  async conversationIn(channelId: string, guildId: string | undefined): Promise<Conversation | undefined> {
    const channel = this.#channel;
    if (guildId === undefined) return { channel, room: channelId, kind: "private" };
    const info = this.#channels.get(channelId) ?? (await this.#fetch(channelId));
    if (info === undefined || info.guildId !== guildId) return undefined;
    const { parentId } = info;
    if (parentId === undefined) return { channel, workspace: guildId, room: channelId, kind: "shared" };
    return { channel, workspace: guildId, room: parentId, thread: channelId, kind: "shared" };
  }

  /** Caches the channels of an event. */
  learn({ t, d }: Omit<Dispatch, "s">): void {
    if (t === "GUILD_CREATE") {
      const guild = GuildCreate.safeParse(d).data;
      for (const each of guild ? [...guild.channels, ...guild.threads] : []) this.#add(each, guild?.id);
    } else if (t === "CHANNEL_CREATE" || t === "THREAD_CREATE") this.#add(d);
  }

  async #fetch(channelId: string): Promise<ChannelInfo | undefined> {
    try {
      return this.#add(await this.#rest.call("get", Routes.channel(channelId)));
    } catch (error) {
      const { reason } = error as DeliveryFailed;
      if (error instanceof DeliveryFailed && (reason === "target-gone" || reason === "forbidden")) return undefined;
      throw error;
    }
  }

  #add(data: unknown, inGuild?: string): ChannelInfo | undefined {
    const channel = DiscordChannel.safeParse(data).data;
    const guildId = channel?.guild_id ?? inGuild;
    if (channel === undefined || guildId === undefined) return undefined;
    const isPublicThread = PUBLIC_THREADS.has(channel.type);
    const info = { guildId, parentId: isPublicThread ? (channel.parent_id ?? undefined) : undefined };
    this.#channels.set(channel.id, info);
    return info;
  }
}
