import { GatewayIntentBits } from "discord.js";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Inbox } from "../../contract/channel-adapter.ts";
import { KeyedQueue } from "../../contract/keyed-queue.ts";
import { pause } from "../../contract/pause.ts";
import type { OpenInteractions } from "../api/open-interactions.ts";
import type { RestCalls } from "../api/rest-calls.ts";
import type { DiscordTiming } from "../api/timing.ts";
import type { DiscordConfig } from "../config.ts";
import type { Dispatch } from "../connection/contained-strategy.ts";
import { GatewayConnection } from "../connection/gateway-connection.ts";
import type { ResumableSession } from "../connection/stored-session.ts";
import { StoredSession } from "../connection/stored-session.ts";
import { channelIdOf, DiscordMessage, GuildDelete } from "../payload.ts";
import type { DiscordAccessCheck } from "./access.ts";
import { ChannelDirectory } from "./channel-directory.ts";
import { Intake } from "./intake.ts";
import { Interactions, registerCommands } from "./interactions.ts";
import { catchUp, KnownConversations } from "./missed-messages.ts";

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
  readonly #channels: ChannelDirectory;
  readonly #known: KnownConversations;
  readonly #storedSession: StoredSession;
  readonly #intake: Intake;
  readonly #interactions: Interactions;
  readonly #connection: GatewayConnection;
  #botId = "";

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    const { config, context, timing, rest } = deps;
    const stopping = this.#stopping.signal;
    this.#channels = new ChannelDirectory(context.channel, rest);
    this.#known = new KnownConversations({ ...context, saveEveryMs: timing.saveEveryMs });
    this.#storedSession = new StoredSession({ ...context, saveEveryMs: timing.saveEveryMs });
    const shared = { ...deps, channels: this.#channels, stopping };
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
    const earlierSession = await this.#storedSession.load(intentsFor(this.#deps.config));
    try {
      await this.#connection.start(earlierSession);
    } catch (error) {
      // The next attempt begins a new session.
      if (this.#connection.isResumePending && !this.#stopping.signal.aborted) await this.#storedSession.forget();
      throw error;
    }
  }

  health() {
    return this.#connection.health();
  }

  /** Stores a conversation in which the agent has posted, so that a catch-up also fetches answers there. */
  async rememberConversation(conversation: Conversation, messageId: string): Promise<void> {
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
    await Promise.all([this.#known.save(), this.#storedSession.handOver()]);
  }

  /** Queues a catch-up for each known conversation ahead of its new messages. */
  #began(session: ResumableSession): void {
    const { rest, context, timing } = this.#deps;
    const { logger, clock } = context;
    this.#botId = session.botId;
    const stopping = this.#stopping.signal;
    const take = (message: DiscordMessage, conversation: Conversation) => this.#intake.take(message, conversation);
    for (const [index, { conversation, readUpTo }] of this.#known.all().entries()) {
      if (!this.#deps.access.allowsConversation(conversation)) continue;
      const fetchMissed = async () => {
        const outcome = await catchUp({ rest, clock, logger, timing, stopping, take }, conversation, readUpTo);
        if (outcome === "unreadable") await this.#known.forget((each) => each === conversation);
      };
      const fetchInLane = () => this.#fetching.run(String(index % CATCH_UP_LANES), fetchMissed);
      this.#inBackground(this.#queue.run(channelIdOf(conversation), fetchInLane), "could not fetch missed messages");
    }
    this.#inBackground(this.#offerCommands(session), "could not register the slash commands");
  }

  /** Registers commands last: by then this process takes their events, or leaves them to the next session. */
  async #offerCommands(session: ResumableSession): Promise<void> {
    await this.#storedSession.began(session);
    if (!this.#stopping.signal.aborted)
      await registerCommands(this.#deps.rest, session.applicationId, this.#deps.context.commands);
  }

  #dispatched(dispatch: Dispatch): void {
    const work = this.#handle(dispatch);
    this.#inBackground(work, `could not handle a Discord event: ${dispatch.t}`);
    void this.#storedSession.track(dispatch.s, work);
  }

  /** Resolves to false if a stop interrupted it. */
  async #handle(dispatch: Dispatch): Promise<boolean> {
    if (dispatch.t === "MESSAGE_CREATE") return this.#receiveMessage(dispatch.d);
    if (dispatch.t === "INTERACTION_CREATE") await this.#interactions.handle(dispatch.d);
    else if (dispatch.t === "GUILD_DELETE") await this.#leave(dispatch.d);
    else this.#channels.learn(dispatch);
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
