import { messageOf } from "../../../core/contract/app-error.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import type { RoomMove } from "../../contract/abilities.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Inbox } from "../../contract/channel-adapter.ts";
import type { BotApi } from "../api/bot-api.ts";
import type { Reach } from "../api/reach.ts";
import type { TelegramTiming } from "../api/timing.ts";
import type { Buttons } from "../buttons.ts";
import type { TelegramConfig } from "../config.ts";
import { ALLOWED_UPDATES, Bot, type Update, WebhookInfo } from "../payload.ts";
import { AlbumRecords } from "./album-records.ts";
import { Albums } from "./albums.ts";
import { Intake } from "./intake.ts";
import { Polling } from "./polling.ts";

export interface SessionDeps {
  readonly config: TelegramConfig;
  readonly context: AdapterContext;
  readonly timing: TelegramTiming;
  readonly inbox: Inbox;
  readonly api: BotApi;
  readonly buttons: Buttons;
  readonly reach: Reach;
  readonly webhookUrl: string;
  reportMove(move: RoomMove): Promise<void>;
  showRefusal(message: InboundMessage, why: string): void;
}

/** Telegram shows at most 100 commands. */
const MAX_COMMANDS = 100;

/** Everything between a start and a stop: how updates arrive, and their intake. */
export class Session {
  readonly #deps: SessionDeps;
  #intake: Intake | undefined;
  #polling: Polling | undefined;
  #takeFromWebhook: ((update: Update) => Promise<void>) | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Undefined until the session has started. */
  get takeFromWebhook(): ((update: Update) => Promise<void>) | undefined {
    return this.#takeFromWebhook;
  }

  async start(): Promise<void> {
    const { api, config, context, timing } = this.#deps;
    const bot = await api.call(Bot, "getMe");
    const { inbox, buttons, reach, reportMove, showRefusal } = this.#deps;
    const endPress = (id: string, why?: string) => this.#endPress(id, why);
    const { access } = config;
    const intake = new Intake({ context, inbox, bot, access, buttons, reach, reportMove, showRefusal, endPress });
    this.#intake = intake;
    if (config.mode === "webhook") await this.#listen(intake);
    else await this.#poll(intake, timing);
    this.#inBackground(this.#offerCommands(), "could not set the menu of commands");
  }

  health(): { ok: true } | { ok: false; reason: string } {
    const reason = this.#polling?.problem;
    return reason === undefined ? { ok: true } : { ok: false, reason };
  }

  /** Stops intake. Telegram repeats updates that are not stored. */
  async stop(): Promise<void> {
    this.#takeFromWebhook = undefined;
    await this.#polling?.stop();
    await this.#intake?.idle();
  }

  async #listen(intake: Intake): Promise<void> {
    const { api, config, context, timing, webhookUrl } = this.#deps;
    const { clock, channel, store } = context;
    const records = new AlbumRecords(channel, store);
    const albums = new Albums({ clock, waitMs: timing.albumMs, records, take: (updates) => intake.take(updates) });
    this.#takeFromWebhook = (update) => albums.take(update);
    await api.send("setWebhook", {
      url: webhookUrl,
      secret_token: config.webhookSecret?.reveal(),
      allowed_updates: ALLOWED_UPDATES,
    });
  }

  async #poll(intake: Intake, timing: TelegramTiming): Promise<void> {
    const { api, context } = this.#deps;
    const { url } = await api.call(WebhookInfo, "getWebhookInfo");
    if (url !== "") {
      // Telegram refuses to be polled while it has a webhook.
      context.logger.warn({ url }, "webhook of the bot removed, because mode is polling");
      await api.send("deleteWebhook", {});
    }
    this.#polling = new Polling({ api, context, timing, take: (updates) => intake.take(updates) });
    this.#polling.start();
  }

  async #offerCommands(): Promise<void> {
    const { api, context } = this.#deps;
    const offered = context.commands.slice(0, MAX_COMMANDS);
    if (offered.length === 0) return;
    const menuIn = (language?: string) =>
      offered.map(({ name, description, translations }) => ({
        command: name.replaceAll("-", "_"),
        description: (translations?.[language ?? ""]?.description ?? description).slice(0, 256),
      }));
    await api.send("setMyCommands", { commands: menuIn() });
    const languages = new Set(offered.flatMap(({ translations = {} }) => Object.keys(translations)));
    for (const language of languages) {
      await api.send("setMyCommands", { commands: menuIn(language), language_code: language });
    }
  }

  /** The button of a press that is not answered keeps spinning for a while. */
  #endPress(id: string, why?: string): void {
    const body = { callback_query_id: id, ...(why !== undefined && { text: why.slice(0, 200), show_alert: true }) };
    this.#inBackground(this.#deps.api.send("answerCallbackQuery", body), "could not answer the press of a button");
  }

  #inBackground(work: Promise<unknown>, problem: string): void {
    work.catch((error: unknown) => this.#deps.context.logger.debug({ error: messageOf(error) }, problem));
  }
}
