import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Recorder } from "../recorder.ts";
import { channelRoutes, type Reaction } from "./channel-routes.ts";
import { FakeGateway } from "./fake-gateway.ts";
import type { FakeInteraction } from "./fake-interactions.ts";
import { FakeInteractions } from "./fake-interactions.ts";
import type { Route } from "./fake-rest.ts";
import { FakeRest, refusal } from "./fake-rest.ts";
import { Snowflakes } from "./snowflakes.ts";
import type { FakeChannel, FakeMessage } from "./world.ts";
import { World } from "./world.ts";

export interface Saying {
  readonly person: string;
  readonly in: FakeChannel;
  readonly text: string;
  /** The text begins with a mention of the bot. */
  readonly mention?: boolean;
  readonly answers?: FakeMessage;
  readonly files?: readonly { readonly name: string; readonly bytes: Buffer; readonly mediaType?: string }[];
  /** Further or different fields of the message. */
  readonly more?: Partial<FakeMessage>;
}

/** A local Discord: one HTTP server with the API, the gateway and files. */
export class FakeDiscord {
  token = "fake.discord.token";
  readonly world = new World();
  readonly gateway = new FakeGateway(this.world, () => this.token);
  readonly interactions = new FakeInteractions(this.world, (t, d) => this.gateway.dispatch(t, d));
  /** Channel id of each typing call. */
  readonly typing = new Recorder<string>();
  readonly reactions = new Recorder<Reaction>();
  readonly rest: FakeRest;
  registeredCommands: unknown = [];
  applicationFlags = 1 << 19;
  interactionsUrl: string | null = null;
  readonly #files = new Map<string, Buffer>();
  /** Separate, because the adapter registers its commands at a moment that no test controls. */
  readonly #commandIds = new Snowflakes();
  readonly #server: Server = createServer((request, response) => {
    const file = this.#files.get(request.url ?? "");
    if (file) response.end(file);
    else this.rest.handle(request, response).catch(() => response.destroy());
  });
  #origin = "";

  private constructor() {
    const posted = (message: FakeMessage) => this.gateway.dispatchMessage(message);
    const channels = channelRoutes({ world: this.world, typing: this.typing, reactions: this.reactions, posted });
    this.rest = new FakeRest([...this.#routes(), ...channels, ...this.interactions.routes], () => this.token);
  }

  static async start(port = 0): Promise<FakeDiscord> {
    const discord = new FakeDiscord();
    discord.gateway.attachTo(discord.#server);
    await new Promise<void>((resolve) => discord.#server.listen(port, "127.0.0.1", resolve));
    discord.#origin = `http://127.0.0.1:${(discord.#server.address() as AddressInfo).port}`;
    discord.gateway.url = `${discord.#origin.replace("http", "ws")}/gateway`;
    return discord;
  }

  get apiUrl(): string {
    return `${this.#origin}/api`;
  }

  /** The bot's messages, in order. */
  get posted(): readonly FakeMessage[] {
    return this.world.messages.filter(({ author }) => author.id === this.world.bot.id);
  }

  async untilPosted(count: number): Promise<readonly FakeMessage[]> {
    await this.world.changes.until(() => this.posted.length >= count);
    return this.posted;
  }

  /** A person writes: stores the message and dispatches it to all sessions. */
  say(saying: Saying): FakeMessage {
    const message = this.write(saying);
    this.gateway.dispatchMessage(message);
    return message;
  }

  /** A person writes: stores the message without dispatching it. */
  write({ person, in: channel, text, mention = false, answers, files = [], more = {} }: Saying): FakeMessage {
    const { bot, ids } = this.world;
    const id = ids.next();
    return this.world.add({
      id,
      channel_id: channel.id,
      ...(channel.guild_id !== undefined && { guild_id: channel.guild_id }),
      type: answers ? 19 : 0,
      author: this.world.person(person),
      content: mention ? `<@${bot.id}> ${text}` : text,
      timestamp: new Date().toISOString(),
      mentions: mention ? [bot] : [],
      attachments: files.map(({ name, bytes, mediaType }) => this.#attach(name, bytes, mediaType)),
      components: [],
      ...(answers && { message_reference: { message_id: answers.id }, referenced_message: answers }),
      pings: false,
      ...more,
    });
  }

  command(person: string, channel: FakeChannel, name: string, ...args: string[]): FakeInteraction {
    const options = args.map((value, index) => ({ name: `option${index}`, type: 3, value }));
    return this.interactions.make(this.world.person(person), channel, { type: 2, data: { name, type: 1, options } });
  }

  /** Presses a button of a message by its label. */
  press(person: string, message: FakeMessage, label: string): FakeInteraction {
    const rows = message.components as { components: { label: string; custom_id: string }[] }[];
    const button = rows.flatMap(({ components }) => components).find((each) => each.label === label);
    const channel = this.world.channels.get(message.channel_id);
    if (!button || !channel) throw new Error(`the message has no button "${label}"`);
    const data = { custom_id: button.custom_id, component_type: 2 };
    return this.interactions.make(this.world.person(person), channel, { type: 3, data, message: { id: message.id } });
  }

  /** Removes the bot from a server and dispatches the event. */
  removeBotFrom(guildId: string): void {
    this.world.guilds.delete(guildId);
    this.gateway.dispatch("GUILD_DELETE", { id: guildId });
  }

  async stop(): Promise<void> {
    this.rest.recover();
    await this.gateway.stop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #attach(filename: string, bytes: Buffer, content_type = "text/plain"): object {
    const id = this.world.ids.next();
    const path = `/attachments/${id}/${encodeURIComponent(filename)}`;
    this.#files.set(path, bytes);
    return { id, filename, content_type, size: bytes.length, url: `${this.#origin}${path}` };
  }

  /** Discord leaves the localizations out unless they are asked for. */
  #commandsFor(query: URLSearchParams): unknown {
    if (query.get("with_localizations") === "true") return this.registeredCommands;
    const hidden = (key: string, value: unknown) => (key === "description_localizations" ? undefined : value);
    return JSON.parse(JSON.stringify(this.registeredCommands, hidden));
  }

  #routes(): readonly Route[] {
    const { world } = this;
    const limits = { total: 1_000, remaining: 999, reset_after: 3_600_000, max_concurrency: 1 };
    return [
      [
        "GET",
        /^\/gateway\/bot$/,
        () => ({ status: 200, body: { url: this.gateway.url, shards: 1, session_start_limit: limits } }),
      ],
      ["GET", /^\/users\/@me$/, () => ({ status: 200, body: world.bot })],
      [
        "GET",
        /^\/users\/@me\/guilds$/,
        () => ({
          status: 200,
          body: [...world.guilds.values()].map(({ id, name, permissions }) => ({ id, name, permissions })),
        }),
      ],
      [
        "GET",
        /^\/applications\/@me$/,
        () => ({
          status: 200,
          body: {
            id: world.applicationId,
            flags: this.applicationFlags,
            interactions_endpoint_url: this.interactionsUrl,
          },
        }),
      ],
      ["GET", /^\/applications\/\d+\/commands$/, ({ query }) => ({ status: 200, body: this.#commandsFor(query) })],
      [
        "PUT",
        /^\/applications\/\d+\/commands$/,
        ({ body }) => {
          const commands = body as { options?: unknown[] }[];
          // Discord adds fields and omits empty options.
          this.registeredCommands = commands.map(({ options = [], ...rest }) => ({
            ...rest,
            id: this.#commandIds.next(),
            version: this.#commandIds.next(),
            dm_permission: true,
            ...(options.length > 0 && { options }),
          }));
          return { status: 200, body: this.registeredCommands };
        },
      ],
      [
        "POST",
        /^\/users\/@me\/channels$/,
        ({ body }) => {
          const { recipient_id } = body as { recipient_id: string };
          const person = [...world.people.values()].find(({ id }) => id === recipient_id);
          return person
            ? { status: 200, body: world.privateChannel(person) }
            : refusal(400, 50_033, "Invalid Recipient(s)");
        },
      ],
      [
        "GET",
        /^\/guilds\/(\d+)\/members\/(\d+)$/,
        (_, guildId = "", userId = "") => {
          const guild = world.guilds.get(guildId);
          if (guild === undefined) return refusal(403, 50_001, "Missing Access");
          return guild.members.has(userId)
            ? { status: 200, body: { user: { id: userId } } }
            : refusal(404, 10_007, "Unknown Member");
        },
      ],
    ];
  }
}
