import { GatewayIntentBits } from "discord.js";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Inbox } from "../../contract/channel-adapter.ts";
import { KeyedQueue } from "../../contract/keyed-queue.ts";
import type { OpenInteractions } from "../api/open-interactions.ts";
import type { RestCalls } from "../api/rest-calls.ts";
import type { DiscordTiming } from "../api/timing.ts";
import { pause } from "../api/timing.ts";
import type { DiscordConfig } from "../config.ts";
import type { Dispatch } from "../connection/contained-strategy.ts";
import { GatewayConnection } from "../connection/gateway-connection.ts";
import type { ResumableSession } from "../connection/kept-session.ts";
import { KeptSession } from "../connection/kept-session.ts";
import { DiscordMessage, GuildDelete } from "../inbound/events.ts";
import { channelIdOf } from "../inbound/ids.ts";
import type { DiscordAccessCheck } from "./access.ts";
import { ChannelPlaces } from "./channel-places.ts";
import { Intake } from "./intake.ts";
import { Interactions } from "./interactions.ts";
import { catchUp, KnownConversations } from "./missed-messages.ts";
import { registerCommands } from "./slash-commands.ts";

export interface SessionDeps {
  readonly config: DiscordConfig;
  readonly context: AdapterContext;
  readonly timing: DiscordTiming;
  readonly inbox: Inbox;
  readonly rest: RestCalls;
  readonly access: DiscordAccessCheck;
  readonly open: OpenInteractions;
}

/** Number of conversations that are fetched concurrently after a gap. */
const CATCH_UP_LANES = 4;

/** Everything between a start and a stop: the connection, and the intake of its events. */
export class Session {
  readonly #deps: SessionDeps;
  readonly #stopping = new AbortController();
  readonly #queue = new KeyedQueue();
  readonly #fetching = new KeyedQueue();
  readonly #places: ChannelPlaces;
  readonly #known: KnownConversations;
  readonly #kept: KeptSession;
  readonly #intake: Intake;
  readonly #interactions: Interactions;
  readonly #connection: GatewayConnection;
  #botId = "";

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    const { config, context, timing, rest } = deps;
    const stopping = this.#stopping.signal;
    this.#places = new ChannelPlaces(context.channel, rest);
    this.#known = new KnownConversations({ ...context, saveEveryMs: timing.saveEveryMs });
    this.#kept = new KeptSession({ ...context, saveEveryMs: timing.saveEveryMs });
    const shared = { ...deps, places: this.#places, stopping };
    this.#intake = new Intake({ ...shared, botId: () => this.#botId, known: this.#known });
    this.#interactions = new Interactions({ ...shared, queue: this.#queue });
    this.#connection = new GatewayConnection({
      token: config.botToken.reveal(),
      apiUrl: config.apiUrl,
      intents: intentsFor(config),
      clock: context.clock,
      logger: context.logger,
      timing,
      began: (session) => this.#began(session),
      dispatched: (dispatch) => this.#dispatched(dispatch),
    });
  }

  get botId(): string {
    return this.#botId;
  }

  async start(): Promise<void> {
    await this.#known.load();
    const leftBehind = await this.#kept.load(intentsFor(this.#deps.config));
    try {
      await this.#connection.start(leftBehind);
    } catch (error) {
      // The next attempt begins a new session.
      if (this.#connection.isResumeOpen && !this.#stopping.signal.aborted) await this.#kept.forget();
      throw error;
    }
  }

  health() {
    return this.#connection.health();
  }

  /** Records a conversation in which the agent has posted, so that a catch-up also fetches answers there. */
  async writtenIn(conversation: Conversation, messageId: string): Promise<void> {
    await this.#known.add(conversation, messageId).catch((error: unknown) => {
      this.#deps.context.logger.warn({ error: messageOf(error) }, "could not store a new conversation");
    });
  }

  /** Stops intake. The next start fetches messages that are not stored. */
  async stop(): Promise<void> {
    const { context, timing } = this.#deps;
    this.#stopping.abort();
    await this.#connection.stop();
    const stored = new AbortController();
    const late = pause(context.clock, timing.stopWithinMs, stored.signal);
    await Promise.race([this.#queue.idle(), late]);
    stored.abort();
    await Promise.all([this.#known.save(), this.#kept.handOver()]);
  }

  /** Queues a catch-up for each known conversation ahead of its new messages. */
  #began(session: ResumableSession): void {
    const { rest, context, timing } = this.#deps;
    const { logger, clock } = context;
    this.#botId = session.botId;
    const stopping = this.#stopping.signal;
    const take = (message: DiscordMessage, conversation: Conversation) => this.#intake.take(message, conversation);
    for (const [index, { conversation, readUpTo }] of this.#known.all().entries()) {
      if (!this.#deps.access.allowsPlace(conversation)) continue;
      const fetch = async () => {
        const outcome = await catchUp({ rest, clock, logger, timing, stopping, take }, conversation, readUpTo);
        if (outcome === "gone") await this.#known.forget((each) => each === conversation);
      };
      const inTurn = () => this.#fetching.run(String(index % CATCH_UP_LANES), fetch);
      this.#inBackground(this.#queue.run(channelIdOf(conversation), inTurn), "could not fetch missed messages");
    }
    this.#inBackground(this.#offerCommands(session), "could not register the slash commands");
  }

  /** Registers commands last: by then this process takes their events, or leaves them to the next session. */
  async #offerCommands(session: ResumableSession): Promise<void> {
    await this.#kept.began(session);
    if (!this.#stopping.signal.aborted)
      await registerCommands(this.#deps.rest, session.applicationId, this.#deps.context.commands);
  }

  #dispatched(dispatch: Dispatch): void {
    const work = this.#handle(dispatch);
    this.#inBackground(work, `could not handle a Discord event: ${dispatch.t}`);
    void this.#kept.take(dispatch.s, work);
  }

  /** Resolves to false if a stop interrupted it. */
  async #handle(dispatch: Dispatch): Promise<boolean> {
    if (dispatch.t === "MESSAGE_CREATE") return this.#receiveMessage(dispatch.d);
    if (dispatch.t === "INTERACTION_CREATE") await this.#interactions.handle(dispatch.d);
    else if (dispatch.t === "GUILD_DELETE") await this.#leave(dispatch.d);
    else this.#places.learn(dispatch);
    return true;
  }

  async #receiveMessage(data: unknown): Promise<boolean> {
    const message = DiscordMessage.safeParse(data).data;
    if (message !== undefined) return this.#queue.run(message.channel_id, () => this.#intake.take(message));
    this.#deps.context.logger.warn({}, "malformed Discord message ignored");
    return true;
  }

  async #leave(data: unknown): Promise<void> {
    const guild = GuildDelete.safeParse(data).data;
    // An unavailable server comes back by itself.
    if (guild === undefined || guild.unavailable) return;
    await this.#known.forget(({ workspace }) => workspace === guild.id);
  }

  #inBackground(work: Promise<unknown>, problem: string): void {
    work.catch((error: unknown) => this.#deps.context.logger.warn({ error: messageOf(error) }, problem));
  }
}

/** The text of messages that do not mention the bot requires a privileged intent. */
const intentsFor = ({ access }: DiscordConfig): number =>
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  (access.mentionOnly ? 0 : GatewayIntentBits.MessageContent);
