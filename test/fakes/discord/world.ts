import { Recorder } from "../recorder.ts";
import { Snowflakes } from "./snowflakes.ts";

export interface FakeUser {
  readonly id: string;
  readonly username: string;
  readonly global_name: string;
  readonly bot?: boolean;
}

export interface FakeGuild {
  readonly id: string;
  readonly name: string;
  readonly members: Set<string>;
  /** The bot's permissions, as a bit field. */
  permissions: string;
}

export interface FakeChannel {
  readonly id: string;
  readonly type: number;
  readonly guild_id?: string;
  readonly parent_id?: string;
  /** The person in a private channel. */
  readonly recipient?: string;
  /** Error code of every call for this channel. */
  refuses?: number;
}

export interface FakeMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly guild_id?: string;
  readonly type: number;
  readonly author: FakeUser;
  content: string;
  readonly timestamp: string;
  readonly mentions: readonly FakeUser[];
  readonly attachments: readonly object[];
  readonly message_reference?: { readonly message_id: string };
  readonly referenced_message?: FakeMessage;
  readonly nonce?: string;
  readonly webhook_id?: string;
  readonly flags?: number;
  components: readonly unknown[];
  /** The files that the bot sent. */
  readonly files?: readonly { readonly name: string; readonly bytes: Buffer }[];
  /** Discord notifies the people whom it mentions. */
  pings: boolean;
}

export const ChannelType = { text: 0, private: 1, thread: 11, privateThread: 12 } as const;

/** The data of a local Discord: people, servers, channels and messages. */
export class World {
  readonly ids = new Snowflakes();
  readonly bot: FakeUser = { id: this.ids.next(), username: "mooring", global_name: "Mooring", bot: true };
  readonly applicationId = this.bot.id;
  readonly guilds = new Map<string, FakeGuild>();
  readonly channels = new Map<string, FakeChannel>();
  readonly people = new Map<string, FakeUser>();
  /** All messages that have not been deleted, in order. */
  readonly messages: FakeMessage[] = [];
  /** Messages that were added, edited or removed. */
  readonly changes = new Recorder<FakeMessage>();

  person(name: string): FakeUser {
    const known = this.people.get(name);
    if (known) return known;
    const person = { id: this.ids.next(), username: name, global_name: name };
    this.people.set(name, person);
    for (const guild of this.guilds.values()) guild.members.add(person.id);
    return person;
  }

  addGuild(name: string, permissions = ALL_PERMISSIONS): FakeGuild {
    const members = new Set([...this.people.values()].map(({ id }) => id));
    const guild = { id: this.ids.next(), name, members, permissions };
    this.guilds.set(guild.id, guild);
    return guild;
  }

  addRoom(guild: FakeGuild): FakeChannel {
    return this.#addChannel({ id: this.ids.next(), type: ChannelType.text, guild_id: guild.id });
  }

  /** A thread on a message has the id of that message. */
  addThread(room: FakeChannel, messageId = this.ids.next()): FakeChannel {
    const { guild_id = "" } = room;
    return this.#addChannel({ id: messageId, type: ChannelType.thread, guild_id, parent_id: room.id });
  }

  /** A thread without a root message that only invited members can read. */
  addPrivateThread(room: FakeChannel): FakeChannel {
    const { guild_id = "" } = room;
    return this.#addChannel({ id: this.ids.next(), type: ChannelType.privateThread, guild_id, parent_id: room.id });
  }

  privateChannel(person: FakeUser): FakeChannel {
    const known = [...this.channels.values()].find(({ recipient }) => recipient === person.id);
    return known ?? this.#addChannel({ id: this.ids.next(), type: ChannelType.private, recipient: person.id });
  }

  messagesIn(channelId: string): FakeMessage[] {
    return this.messages.filter(({ channel_id }) => channel_id === channelId);
  }

  add(message: FakeMessage): FakeMessage {
    this.messages.push(message);
    this.changes.add(message);
    return message;
  }

  remove(messageId: string): void {
    const at = this.messages.findIndex(({ id }) => id === messageId);
    const [removed] = at < 0 ? [] : this.messages.splice(at, 1);
    if (removed) this.changes.add(removed);
  }

  #addChannel(channel: FakeChannel): FakeChannel {
    this.channels.set(channel.id, channel);
    return channel;
  }
}

/** View, send, send in threads, embed, attach, history, reactions, create threads. */
const ALL_PERMISSIONS = "309237763136";
