import { afterEach, beforeEach } from "vitest";
import type { DiscordAdapter } from "../../../adapters/discord/adapter.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { FakeDiscord } from "../../fakes/discord/fake-discord.ts";
import type { FakeChannel, FakeGuild } from "../../fakes/discord/world.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import { MemoryStore } from "../web/memory-store.ts";
import { CrashingStore } from "./crashing-store.ts";
import type { AdapterOptions } from "./make-discord-adapter.ts";
import { makeDiscordAdapter } from "./make-discord-adapter.ts";

/** A local Discord with one server and one room for each test, and the adapters that the test created. */
export class DiscordUnderTest {
  discord!: FakeDiscord;
  guild!: FakeGuild;
  room!: FakeChannel;
  /** Ann's private channel. */
  dm!: FakeChannel;
  inbox!: TestInbox;
  store!: MemoryStore;
  logger!: RecordingLogger;
  adapter!: DiscordAdapter;
  #crashing: CrashingStore | undefined;
  #options: AdapterOptions = {};
  readonly #adapters: DiscordAdapter[] = [];

  constructor() {
    beforeEach(async () => {
      this.discord = await FakeDiscord.start();
      const { world } = this.discord;
      this.guild = world.addGuild("harbour");
      this.room = world.addRoom(this.guild);
      this.dm = world.privateChannel(world.person("ann"));
      this.inbox = new TestInbox();
      this.store = new MemoryStore(systemClock);
      this.logger = new RecordingLogger();
    });
    afterEach(async () => {
      await Promise.all(this.#adapters.splice(0).map((adapter) => adapter.stop()));
      await this.discord.stop();
    });
  }

  make(options: AdapterOptions = {}): DiscordAdapter {
    this.#options = options;
    this.#crashing = new CrashingStore(this.store);
    this.adapter = makeDiscordAdapter(this.discord, { store: this.#crashing, logger: this.logger, ...options });
    this.#adapters.push(this.adapter);
    return this.adapter;
  }

  async start(options: AdapterOptions = {}): Promise<DiscordAdapter> {
    const adapter = this.make(options);
    await adapter.start(this.inbox);
    return adapter;
  }

  /** Ends the adapter without a stop; unsaved state is lost. */
  async crash(): Promise<void> {
    this.#crashing?.crash();
    await this.adapter.stop();
  }

  async startAgain(): Promise<DiscordAdapter> {
    return this.start(this.#options);
  }

  get texts(): string[] {
    return this.inbox.accepted.items.map(({ text }) => text);
  }

  /** Sends a private message and waits for its arrival. Earlier messages elsewhere may still be on their way. */
  async receivedInPrivate(text: string): Promise<InboundMessage> {
    this.discord.say({ person: "ann", in: this.dm, text });
    const messages = await this.inbox.accepted.until((items) => items.some((item) => item.text === text));
    return messages.find((item) => item.text === text) as InboundMessage;
  }

  get inRoom(): Conversation {
    return { channel: "discord", workspace: this.guild.id, room: this.room.id, kind: "shared" };
  }

  get inPrivate(): Conversation {
    return { channel: "discord", room: this.dm.id, kind: "private" };
  }
}
