import { AppError } from "../../../core/contract/app-error.ts";
import type { FromPerson, InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { textsFor } from "../../../core/contract/texts/texts.ts";
import { errorText, ToldError } from "../../../core/contract/texts/told-error.ts";
import type { RoomMove } from "../../contract/abilities.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Inbox } from "../../contract/channel-adapter.ts";
import { KeyedQueue } from "../../contract/keyed-queue.ts";
import type { Reach } from "../api/reach.ts";
import type { Buttons } from "../buttons.ts";
import type { TelegramAccess } from "../config.ts";
import { isAddressed, isFromPerson, toEdit, toPress, toUserMessage } from "../inbound.ts";
import type { Bot, CallbackQuery, TelegramMessage, Update } from "../payload.ts";
import { AlbumRecords } from "./album-records.ts";
import { albumOf } from "./albums.ts";

export interface IntakeDeps {
  readonly context: AdapterContext;
  readonly inbox: Inbox;
  readonly bot: Bot;
  readonly access: TelegramAccess;
  readonly buttons: Buttons;
  readonly reach: Reach;
  /** Resolves once the move is stored. */
  reportMove(move: RoomMove): Promise<void>;
  /** Shows why a message was refused. Never fails. */
  showRefusal(message: InboundMessage, why: string): void;
  /** Ends the press of a button, with a text if it was refused. Never fails. */
  endPress(id: string, why?: string): void;
}

/** Errors that a retry of the same update would repeat. */
const PERMANENT: ReadonlySet<string> = new Set(["forbidden", "rate-limited", "too-large", "bad-input"]);

/** Intake of polling and webhook: resolves once an update is stored, ignored or refused for good. */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #order = new KeyedQueue();
  readonly #albums: AlbumRecords;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#albums = new AlbumRecords(deps.context.channel, deps.context.store);
  }

  /** Takes an update, or the updates of one album. Rejects if it could not be stored, so that Telegram repeats it. */
  take(updates: readonly Update[]): Promise<void> {
    const [first] = updates;
    const room = roomOf(first);
    return room === undefined ? Promise.resolve() : this.#order.run(String(room), () => this.#take(updates));
  }

  idle(): Promise<void> {
    return this.#order.idle();
  }

  async #take([update, ...others]: readonly Update[]): Promise<void> {
    if (update === undefined) return;
    const { message, edited_message: edited, callback_query: press } = update;
    if (message !== undefined) {
      const messages = [message, ...others.flatMap((other) => other.message ?? [])] as const;
      if (albumOf(update) === undefined) await this.#takeMessage(messages);
      else await this.#albums.take(messages, (batch) => this.#takeMessage(batch));
    } else if (edited !== undefined) {
      await this.#takeEdit(edited);
    } else if (press !== undefined) {
      await this.#takePress(press);
    } else if (update.my_chat_member !== undefined) {
      await this.#deps.reach.changed(update.my_chat_member);
    }
  }

  async #takeMessage(messages: readonly [TelegramMessage, ...TelegramMessage[]]): Promise<void> {
    const { bot, context, reportMove } = this.#deps;
    const [first] = messages;
    if (first.migrate_to_chat_id !== undefined) {
      return reportMove({ from: String(first.chat.id), to: String(first.migrate_to_chat_id) });
    }
    if (!isFromPerson(first) || !messages.some((message) => this.#isForAgent(message))) return;
    const message = toUserMessage(messages, bot, context);
    if (message !== undefined) await this.#accept(message);
  }

  async #takeEdit(edited: TelegramMessage): Promise<void> {
    const { bot, context } = this.#deps;
    if (!isFromPerson(edited) || !this.#isForAgent(edited)) return;
    const message = toEdit(edited, bot, context);
    if (message !== undefined) await this.#accept(message);
  }

  async #takePress(press: CallbackQuery): Promise<void> {
    const { context, buttons, endPress } = this.#deps;
    const command = await buttons.pressed(press.data ?? "");
    const sentAt = new Date(context.clock.now()).toISOString();
    const message = command && toPress(press, command, sentAt, context);
    if (message === undefined) return endPress(press.id, textsFor(press.from.language_code).intake.oldButtonType);
    endPress(press.id, await this.#accept(message));
  }

  /** Resolves to the reason of a refusal. */
  async #accept(message: InboundMessage): Promise<string | undefined> {
    try {
      this.#refusePrivately(message);
      await this.#deps.inbox.accept(message);
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError) || !PERMANENT.has(error.code)) throw error;
      this.#deps.context.logger.info({ message: message.id, reason: error.message }, "message refused");
      const why = errorText(error, textsFor(message.account.locale));
      if (!isPress(message)) this.#deps.showRefusal(message, why);
      return why;
    }
  }

  /** Access that names only rooms admits no private message: otherwise every user of Telegram could write there. */
  #refusePrivately({ conversation, account }: InboundMessage): void {
    if (conversation.kind === "shared" || this.#deps.access.accounts !== undefined) return;
    throw new ToldError("forbidden", ({ refusals }) => refusals.onlyInGroups(account.id));
  }

  #isForAgent(message: TelegramMessage): boolean {
    const { bot, access } = this.#deps;
    return message.chat.type === "private" || !access.mentionOnly || isAddressed(message, bot);
  }
}

const isPress = (message: InboundMessage): message is FromPerson =>
  message.kind === "command" && message.messageId === undefined;

/** Updates of one chat stay in order. */
const roomOf = (update: Update | undefined): number | undefined =>
  (update?.message ?? update?.edited_message ?? update?.callback_query?.message ?? update?.my_chat_member)?.chat.id ??
  (update?.callback_query ? 0 : undefined);
