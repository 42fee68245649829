import { BoundedCache } from "../../../core/contract/bounded-cache.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Delivery, Receipt } from "../../contract/channel-adapter.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { type FileLimits, type ReadFile, readFiles } from "../../contract/outgoing-file.ts";
import { renderOrFail } from "../../contract/render-delivery.ts";
import type { Buttons, Keyboard } from "../buttons.ts";
import { ChatInfo, SentAlbum, SentMessage } from "../payload.ts";
import { fitsCaption, type RenderedText, renderText } from "../render.ts";
import type { BotApi, UploadedFile } from "./bot-api.ts";
import { isEntityRefusal, isUnmodified } from "./failure.ts";
import type { Reach } from "./reach.ts";

/** https://core.telegram.org/bots/api#sending-files; an album has at most ten. */
export const FILE_LIMITS: FileLimits = { maxBytes: 50 * 1024 * 1024, maxCount: 10 };
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;

/** An upload takes longer than other calls; the outbox waits 60 s. */
const UPLOAD_MS = 50_000;
const NO_PREVIEW = { link_preview_options: { is_disabled: true } };
/** Telegram allows only some emoji as reactions, and a bot has one per message. https://core.telegram.org/bots/api#reactiontypeemoji */
const SEEN = [{ type: "emoji", emoji: "👀" }];
const WORKING = [{ type: "emoji", emoji: "✍" }];

/** The fields of a text with or without mark-up. */
type Text = { readonly text: string; readonly parse_mode?: "HTML" };

export interface PostsDeps {
  readonly api: BotApi;
  readonly buttons: Buttons;
  readonly reach: Reach;
  readonly clock: Clock;
}

/** Sends and edits messages. Rejects with DeliveryFailed only. */
export class Posts {
  readonly #channel: string;
  readonly #api: BotApi;
  readonly #buttons: Buttons;
  readonly #reach: Reach;
  readonly #pauses: RoomPauses;

  constructor(channel: string, { api, buttons, reach, clock }: PostsDeps) {
    this.#channel = channel;
    this.#api = api;
    this.#buttons = buttons;
    this.#reach = reach;
    this.#pauses = new RoomPauses(clock);
  }

  deliver(delivery: Delivery): Promise<Receipt> {
    return this.#inRoom(delivery, async (text, keyboard) => {
      const files = await readFiles(delivery, FILE_LIMITS);
      const place = { ...placeOf(delivery.target), ...answerTo(delivery) };
      if (files.length === 0) return this.#post(place, text, keyboard);
      // One call sends everything or nothing. An album has no buttons, and without a text nothing else can have them.
      const isWhole = fitsCaption(text) && (files.length === 1 || keyboard === undefined || text.plain === "");
      if (isWhole) return this.#upload(place, files, text, keyboard);
      const receipt = await this.#post(place, text, keyboard);
      try {
        await this.#upload(placeOf(delivery.target), files);
      } catch (error) {
        // A retry would send the text again.
        throw new DeliveryFailed("unknown", `the text was posted, but not its files: ${(error as Error).message}`);
      }
      return receipt;
    });
  }

  edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    return this.#inRoom(delivery, async (text, keyboard) => {
      const { chat_id } = placeOf(delivery.target);
      const place = { chat_id, message_id: numberOf(messageId), ...NO_PREVIEW };
      // Without a keyboard, an edit removes the earlier one.
      await withMarkup(text, (shown) =>
        this.#api.send("editMessageText", { ...place, ...shown, reply_markup: keyboard ?? NO_BUTTONS }),
      ).catch((error: unknown) => {
        if (!isUnmodified(error)) throw error;
      });
      return { messageId };
    });
  }

  /** A bot can write only to people who have written to it: then the id of the chat is that of the person. */
  async privateConversation(accountId: string): Promise<Conversation> {
    const { id, type } = await this.#api.call(ChatInfo, "getChat", { chat_id: numberOf(accountId) });
    if (type !== "private") throw new DeliveryFailed("rejected", "the account is not a person");
    return { channel: this.#channel, room: String(id), kind: "private" };
  }

  async showTyping(conversation: Conversation): Promise<void> {
    await this.#api.send("sendChatAction", { ...placeOf(conversation), action: "typing" });
  }

  markSeen(conversation: Conversation, messageId: string): Promise<void> {
    return this.#react(conversation, messageId, SEEN);
  }

  markWorking(conversation: Conversation, messageId: string): Promise<void> {
    return this.#react(conversation, messageId, WORKING);
  }

  /** The mark has replaced the earlier one, so this shows it again. */
  unmarkWorking(conversation: Conversation, messageId: string, wasSeen: boolean): Promise<void> {
    return this.#react(conversation, messageId, wasSeen ? SEEN : []);
  }

  async #react(conversation: Conversation, messageId: string, reaction: readonly object[]): Promise<void> {
    const { chat_id } = placeOf(conversation);
    await this.#api.send("setMessageReaction", { chat_id, message_id: numberOf(messageId), reaction });
  }

  /** Renders, reads and stores everything before the first call, so that a failure before it is never "unknown". */
  async #inRoom(
    delivery: Delivery,
    send: (text: RenderedText, keyboard: Keyboard | undefined) => Promise<Receipt>,
  ): Promise<Receipt> {
    const { target, byHand } = delivery;
    if (!byHand) this.#pauses.check(target.room);
    const text = renderOrFail(delivery, renderText);
    const keyboard = await this.#buttons.keyboardOf(delivery).catch((cause: unknown) => {
      throw new DeliveryFailed("unavailable", "the values of the buttons could not be stored", { cause });
    });
    try {
      return await this.#reach.send(target, byHand ?? false, () => send(text, keyboard));
    } catch (error) {
      if (error instanceof DeliveryFailed) this.#pauses.note(target.room, error);
      throw error;
    }
  }

  async #post(place: object, text: RenderedText, keyboard: Keyboard | undefined): Promise<Receipt> {
    const more = { ...place, ...NO_PREVIEW, ...(keyboard && { reply_markup: keyboard }) };
    return receiptOf(
      await withMarkup(text, (shown) => this.#api.call(SentMessage, "sendMessage", { ...more, ...shown })),
    );
  }

  /** The files as one message, or as an album. */
  async #upload(place: object, files: readonly ReadFile[], text?: RenderedText, keyboard?: Keyboard): Promise<Receipt> {
    const [first, ...others] = files;
    if (first === undefined) throw new DeliveryFailed("rejected", "there is no file to send");
    const more = { ...place, ...(keyboard && others.length === 0 && { reply_markup: keyboard }) };
    const options = (uploads: readonly UploadedFile[]) => ({ files: uploads, timeoutMs: UPLOAD_MS });
    if (others.length > 0) {
      const uploads = files.map((file, index) => uploadOf(file, `file${index}`));
      return withMarkup(text, (shown) => {
        const media = uploads.map(({ field }, index) => ({
          type: "document",
          media: `attach://${field}`,
          ...(index === 0 && captionOf(shown)),
        }));
        return this.#api.call(SentAlbum, "sendMediaGroup", { ...more, media }, options(uploads));
      }).then(([sent]) => receiptOf(sent));
    }
    const send = (method: string, field: string) =>
      withMarkup(text, (shown) =>
        this.#api.call(SentMessage, method, { ...more, ...captionOf(shown) }, options([uploadOf(first, field)])),
      );
    if (isPhoto(first)) {
      try {
        return receiptOf(await send("sendPhoto", "photo"));
      } catch (error) {
        // Telegram shows pictures of some sizes only as files.
        if (!(error instanceof DeliveryFailed) || error.reason !== "rejected") throw error;
      }
    }
    return receiptOf(await send("sendDocument", "document"));
  }
}

const NO_BUTTONS: Keyboard = { inline_keyboard: [] };

/** Sends the text as it was written if Telegram refuses its mark-up. */
const withMarkup = async <T>(
  text: RenderedText | undefined,
  send: (shown: Text | undefined) => Promise<T>,
): Promise<T> => {
  if (text === undefined) return send(undefined);
  try {
    return await send({ text: text.html, parse_mode: "HTML" });
  } catch (error) {
    if (!isEntityRefusal(error)) throw error;
    return send({ text: text.plain });
  }
};

const captionOf = (shown: Text | undefined): object =>
  shown === undefined ? {} : { caption: shown.text, ...(shown.parse_mode && { parse_mode: shown.parse_mode }) };

const uploadOf = ({ name, mediaType, content }: ReadFile, field: string): UploadedFile => ({
  field,
  name,
  mediaType,
  content,
});

const isPhoto = ({ mediaType, content }: ReadFile): boolean =>
  (mediaType === "image/jpeg" || mediaType === "image/png") && content.length <= MAX_PHOTO_BYTES;

const receiptOf = (sent: { readonly message_id: number } | undefined): Receipt => {
  if (sent === undefined) throw new DeliveryFailed("unknown", "Telegram returned no message id");
  return { messageId: String(sent.message_id) };
};

const placeOf = ({ room, thread }: Conversation) => ({
  chat_id: numberOf(room),
  ...(thread !== undefined && { message_thread_id: numberOf(thread) }),
});

/** In a group people see which message is answered; a deleted one does not prevent the answer. */
const answerTo = ({ target, answers, part }: Delivery): object =>
  answers === undefined || part.index > 0 || target.kind === "private" || !/^\d+$/.test(answers)
    ? {}
    : { reply_parameters: { message_id: Number(answers), allow_sending_without_reply: true } };

const numberOf = (id: string): number => {
  if (!/^-?\d{1,16}$/.test(id)) throw new DeliveryFailed("rejected", `"${id.slice(0, 40)}" is not an id of Telegram`);
  return Number(id);
};

const MAX_PAUSED_ROOMS = 10_000;
const MAX_PAUSE_MS = 10 * 60_000;

/** Remembers retry_after per chat: calls during that time would extend it. */
class RoomPauses {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #until = new BoundedCache<string, number>(MAX_PAUSED_ROOMS);

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  check(room: string): void {
    const leftMs = Math.ceil((this.#until.get(room) ?? 0) - this.#clock.monotonic());
    if (leftMs > 0) {
      throw new DeliveryFailed("rate-limited", "Telegram's rate limit is reached here", { retryAfterMs: leftMs });
    }
  }

  note(room: string, { reason, retryAfterMs = 0 }: DeliveryFailed): void {
    if (reason === "rate-limited")
      this.#until.set(room, this.#clock.monotonic() + Math.min(retryAfterMs, MAX_PAUSE_MS));
  }
}
