import { GatewayIntentBits } from "discord.js";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Inbox } from "../contract/channel-adapter.ts";
import type { DiscordAccessCheck } from "./access.ts";
import { catchUp } from "./catch-up.ts";
import { ChannelPlaces } from "./channel-places.ts";
import type { DiscordConfig } from "./config.ts";
import type { Dispatch } from "./contained-strategy.ts";
import { GatewayConnection } from "./gateway-connection.ts";
import { Intake } from "./intake.ts";
import { Interactions } from "./interactions.ts";
import { KeptSession, type ResumableSession } from "./kept-session.ts";
import { KnownConversations } from "./known-conversations.ts";
import { Lanes } from "./lanes.ts";
import type { OpenInteractions } from "./open-interactions.ts";
import { pause } from "./pause.ts";
import { channelIdOf } from "./permalink.ts";
import { DiscordMessage, GuildDelete } from "./platform-events.ts";
import { RefusalNotices } from "./refusal-notices.ts";
import type { RestCalls } from "./rest-calls.ts";
import { registerCommands } from "./slash-commands.ts";
import type { DiscordTiming } from "./timing.ts";

export interface SessionParts {
  readonly config: DiscordConfig;
  readonly context: AdapterContext;
  readonly timing: DiscordTiming;
  readonly inbox: Inbox;
  readonly rest: RestCalls;
  readonly access: DiscordAccessCheck;
  readonly open: OpenInteractions;
}

/** How many conversations are looked at side by side after a gap. */
const CATCH_UP_LANES = 4;

/** Everything that lives from a start to a stop: the connection, and what comes in on it. */
export class Session {
  readonly #parts: SessionParts;
  readonly #stopping = new AbortController();
  readonly #lanes = new Lanes();
  readonly #fetching = new Lanes();
  readonly #places: ChannelPlaces;
  readonly #known: KnownConversations;
  readonly #kept: KeptSession;
  readonly #intake: Intake;
  readonly #interactions: Interactions;
  readonly #connection: GatewayConnection;
  #botId = "";

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { config, context, timing, rest } = parts;
    const stopping = this.#stopping.signal;
    this.#places = new ChannelPlaces(context.channel, rest);
    this.#known = new KnownConversations({ ...context, saveEveryMs: timing.saveEveryMs });
    this.#kept = new KeptSession({ ...context, saveEveryMs: timing.saveEveryMs });
    const shared = { ...parts, places: this.#places, stopping };
    const notices = new RefusalNotices(rest, context.clock);
    this.#intake = new Intake({ ...shared, botId: () => this.#botId, known: this.#known, notices });
    this.#interactions = new Interactions({ ...shared, lanes: this.#lanes });
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
    const leftBehind = await this.#kept.load(intentsFor(this.#parts.config));
    try {
      await this.#connection.start(leftBehind);
    } catch (error) {
      // The next attempt begins a session of its own.
      if (this.#connection.isResumeOpen && !this.#stopping.signal.aborted) await this.#kept.forget();
      throw error;
    }
  }

  health() {
    return this.#connection.health();
  }

  /** The agent has written there, so what people answer is for it. */
  async writtenIn(conversation: Conversation, messageId: string): Promise<void> {
    await this.#known.add(conversation, messageId).catch((error: unknown) => {
      this.#parts.context.logger.warn({ error: messageOf(error) }, "a new conversation could not be stored");
    });
  }

  /** Nothing comes in any more. What was not stored is fetched after the next start. */
  async stop(): Promise<void> {
    const { context, timing } = this.#parts;
    this.#stopping.abort();
    await this.#connection.stop();
    const stored = new AbortController();
    const late = pause(context.clock, timing.stopWithinMs, stored.signal);
    await Promise.race([this.#lanes.idle(), late]);
    stored.abort();
    await Promise.all([this.#known.save(), this.#kept.handOver()]);
  }

  /** Before anything that is said now is heard: each conversation is read from where it was left, in its lane. */
  #began(session: ResumableSession): void {
    const { rest, context, timing } = this.#parts;
    const { logger, clock } = context;
    this.#botId = session.botId;
    const stopping = this.#stopping.signal;
    const take = (message: DiscordMessage, conversation: Conversation) => this.#intake.take(message, conversation);
    for (const [index, { conversation, readUpTo }] of this.#known.all().entries()) {
      if (!this.#parts.access.allowsPlace(conversation)) continue;
      const fetch = async () => {
        const outcome = await catchUp({ rest, clock, logger, timing, stopping, take }, conversation, readUpTo);
        if (outcome === "gone") await this.#known.forget((each) => each === conversation);
      };
      const inTurn = () => this.#fetching.run(String(index % CATCH_UP_LANES), fetch);
      this.#inBackground(this.#lanes.run(channelIdOf(conversation), inTurn), "missed messages were not fetched");
    }
    this.#inBackground(this.#settleIn(session), "the slash commands could not be registered");
  }

  /** Commands come last: who offers them hears what people say, or leaves it to the next one. */
  async #settleIn(session: ResumableSession): Promise<void> {
    await this.#kept.began(session);
    if (!this.#stopping.signal.aborted)
      await registerCommands(this.#parts.rest, session.applicationId, this.#parts.context.commands);
  }

  #dispatched(dispatch: Dispatch): void {
    const work = this.#handle(dispatch);
    this.#inBackground(work, `an event was not taken in: ${dispatch.t}`);
    void this.#kept.take(dispatch.s, work);
  }

  /** Resolves to false if it was broken off. */
  async #handle(dispatch: Dispatch): Promise<boolean> {
    if (dispatch.t === "MESSAGE_CREATE") return this.#hear(dispatch.d);
    if (dispatch.t === "INTERACTION_CREATE") await this.#interactions.handle(dispatch.d);
    else if (dispatch.t === "GUILD_DELETE") await this.#leave(dispatch.d);
    else this.#places.learn(dispatch);
    return true;
  }

  async #hear(data: unknown): Promise<boolean> {
    const message = DiscordMessage.safeParse(data).data;
    if (message !== undefined) return this.#lanes.run(message.channel_id, () => this.#intake.take(message));
    this.#parts.context.logger.warn({}, "a message that Discord sent could not be read");
    return true;
  }

  async #leave(data: unknown): Promise<void> {
    const guild = GuildDelete.safeParse(data).data;
    // One that is only unavailable comes back.
    if (guild === undefined || guild.unavailable) return;
    await this.#known.forget(({ workspace }) => workspace === guild.id);
  }

  #inBackground(work: Promise<unknown>, problem: string): void {
    work.catch((error: unknown) => this.#parts.context.logger.warn({ error: messageOf(error) }, problem));
  }
}

/** The text of messages that do not mention the bot needs an intent that Discord has to allow. */
const intentsFor = ({ access }: DiscordConfig): number =>
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  (access.mentionOnly ? 0 : GatewayIntentBits.MessageContent);
