import { Recorder } from "../recorder.ts";
import { type ParsedHtml, parseHtml } from "./parse-html.ts";
import type { FakeUpdates } from "./updates.ts";
import type { FakeChat, FakeFile, FakeMessage, TelegramWorld } from "./world.ts";

export interface BotCall {
  readonly method: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly files: readonly {
    readonly field: string;
    readonly name: string;
    readonly type: string;
    readonly bytes: Buffer;
  }[];
}

export class Refused extends Error {
  readonly status: number;
  readonly parameters: object | undefined;

  constructor(status: number, description: string, parameters?: object) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

/** A reaction that replaces another one ends that one. */
export interface FakeSign {
  readonly type: "typing" | "seen" | "working" | "working-ended";
  readonly where: string;
  readonly messageId?: string;
}

const REACTIONS: Readonly<Record<string, "seen" | "working">> = { "👀": "seen", "✍": "working" };

const bad = (description: string, parameters?: object) => new Refused(400, `Bad Request: ${description}`, parameters);

/** The methods of the Bot API that Mooring calls, as strict as Telegram's. */
export class BotMethods {
  readonly world: TelegramWorld;
  readonly updates: FakeUpdates;
  readonly signs = new Recorder<FakeSign>();
  readonly presses = new Recorder<{ id: string; text?: string }>();
  readonly menus = new Recorder<{
    readonly language: string;
    readonly commands: readonly { command: string; description: string }[];
  }>();
  readsAllGroupMessages = false;
  joinsGroups = true;

  constructor(world: TelegramWorld, updates: FakeUpdates) {
    this.world = world;
    this.updates = updates;
  }

  async call({ method, body, files }: BotCall): Promise<unknown> {
    switch (method) {
      case "getMe":
        return {
          ...this.world.bot,
          can_join_groups: this.joinsGroups,
          can_read_all_group_messages: this.readsAllGroupMessages,
        };
      case "getWebhookInfo":
        return { url: this.updates.webhook.url, pending_update_count: this.updates.count };
      case "setWebhook":
        return this.#setWebhook(body);
      case "deleteWebhook":
        this.updates.webhook = { url: "", secret: undefined };
        return true;
      case "setMyCommands":
        return this.#setCommands(body.commands as { command: string; description: string }[], body.language_code);
      case "getChat":
        return this.#chat(body.chat_id);
      case "sendMessage":
        return this.#shown(this.#send(body, this.#text(body.text, body.parse_mode, 4_096)));
      case "sendPhoto":
      case "sendDocument":
        return this.#shown(this.#sendFile(body, files));
      case "sendMediaGroup":
        return this.#sendAlbum(body, files);
      case "editMessageText":
        return this.#edit(body);
      case "sendChatAction":
        return this.#typing(body);
      case "setMessageReaction":
        return this.#react(body);
      case "answerCallbackQuery":
        this.presses.add({
          id: String(body.callback_query_id),
          ...(body.text !== undefined && { text: String(body.text) }),
        });
        return true;
      case "getFile":
        return this.#file(String(body.file_id));
      default:
        throw new Refused(404, "Not Found: method not found");
    }
  }

  #setWebhook({ url, secret_token: secret }: BotCall["body"]): boolean {
    if (secret !== undefined && !/^[\w-]{1,256}$/.test(String(secret)))
      throw bad("secret token contains unallowed characters");
    this.updates.endPoll();
    this.updates.webhook = { url: String(url), secret: secret === undefined ? undefined : String(secret) };
    return true;
  }

  #setCommands(commands: readonly { command: string; description: string }[], language: unknown): boolean {
    if (commands.some(({ command }) => !/^[a-z0-9_]{1,32}$/.test(command))) throw bad("BOT_COMMAND_INVALID");
    if (language !== undefined && !/^[a-z]{2}$/.test(String(language))) throw bad("LANG_CODE_INVALID");
    this.menus.add({ language: String(language ?? ""), commands });
    return true;
  }

  #chat(id: unknown): FakeChat {
    const movedTo = this.world.moved.get(Number(id));
    if (movedTo !== undefined) {
      throw bad("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: movedTo });
    }
    const chat = typeof id === "number" ? this.world.chat(id) : undefined;
    if (chat === undefined) throw bad("chat not found");
    return chat;
  }

  #text(text: unknown, mode: unknown, max: number): ParsedHtml {
    let parsed: ParsedHtml = { text: String(text ?? ""), entities: [] };
    if (mode !== undefined && mode !== "HTML") throw bad(`unsupported parse_mode`);
    if (mode === "HTML") {
      try {
        parsed = parseHtml(parsed.text);
      } catch (error) {
        throw bad((error as Error).message);
      }
    }
    if (parsed.text.trim() === "") throw bad("message text is empty");
    if (parsed.text.length > max) throw bad(max === 4_096 ? "message is too long" : "message caption is too long");
    return parsed;
  }

  #send(
    body: BotCall["body"],
    { text, entities }: ParsedHtml,
    files: readonly FakeFile[] = [],
    album?: string,
  ): FakeMessage {
    const chat = this.#chat(body.chat_id);
    const thread = body.message_thread_id as number | undefined;
    const answered = (body.reply_parameters as
      | { message_id: number; allow_sending_without_reply?: boolean }
      | undefined) ?? {
      message_id: 0,
    };
    const exists = this.world.find(chat.id, answered.message_id) !== undefined;
    if (answered.message_id !== 0 && !exists && !("allow_sending_without_reply" in answered)) {
      throw bad("message to be replied not found");
    }
    return this.world.add({
      message_id: this.world.nextId(chat),
      chat,
      from: this.world.bot,
      date: Math.floor(Date.now() / 1_000),
      ...(thread !== undefined && { message_thread_id: thread, is_topic_message: true }),
      text,
      entities,
      keyboard: keyboardIn(body.reply_markup),
      ...(exists && { reply_to: answered.message_id }),
      files,
      album,
    });
  }

  #sendFile(body: BotCall["body"], [file]: BotCall["files"]): FakeMessage {
    if (file === undefined || file.bytes.length === 0) throw bad("file must be non-empty");
    const caption =
      body.caption === undefined ? { text: "", entities: [] } : this.#text(body.caption, body.parse_mode, 1_024);
    return this.#send(body, caption, [this.world.addFile(file.name, file.type, file.bytes)]);
  }

  #sendAlbum(body: BotCall["body"], files: BotCall["files"]): unknown {
    const media = body.media as { media: string; caption?: string; parse_mode?: string }[];
    if (media.length < 2 || media.length > 10) throw bad("MEDIA_EMPTY");
    if (body.reply_markup !== undefined) throw bad("reply_markup is not allowed here");
    const read = media.map((item) => {
      const file = files.find(({ field }) => item.media === `attach://${field}`);
      if (file === undefined) throw bad("wrong file identifier");
      const caption =
        item.caption === undefined ? { text: "", entities: [] } : this.#text(item.caption, item.parse_mode, 1_024);
      return { file, caption };
    });
    const album = `album-${this.world.messages.length}`;
    return read.map(({ file, caption }) =>
      this.#shown(this.#send(body, caption, [this.world.addFile(file.name, file.type, file.bytes)], album)),
    );
  }

  #edit(body: BotCall["body"]): unknown {
    const chat = this.#chat(body.chat_id);
    const parsed = this.#text(body.text, body.parse_mode, 4_096);
    const message = this.world.find(chat.id, Number(body.message_id));
    if (message === undefined) throw bad("message to edit not found");
    if (message.from.id !== this.world.bot.id) throw bad("message can't be edited");
    const keyboard = keyboardIn(body.reply_markup);
    const shape = (of: { text: string; entities: unknown; keyboard: unknown }) =>
      JSON.stringify([of.text, of.entities, of.keyboard]);
    if (shape(message) === shape({ ...parsed, keyboard })) {
      throw bad("message is not modified: specified new message content and reply markup are exactly the same");
    }
    Object.assign(message, parsed, { keyboard });
    this.world.changes.add("changed");
    return this.#shown(message);
  }

  #typing(body: BotCall["body"]): boolean {
    const where = whereOf(this.#chat(body.chat_id), body.message_thread_id as number | undefined);
    this.signs.add({ type: "typing", where });
    return true;
  }

  #react(body: BotCall["body"]): boolean {
    const chat = this.#chat(body.chat_id);
    const message = this.world.find(chat.id, body.message_id as number);
    if (message === undefined) throw bad("message to react not found");
    const [given, ...more] = body.reaction as { type: string; emoji: string }[];
    if (more.length > 0) throw bad("REACTIONS_TOO_MANY");
    const [before, now] = [REACTIONS[message.reaction ?? ""], REACTIONS[given?.emoji ?? ""]];
    if (given !== undefined && now === undefined) throw bad("REACTION_INVALID");
    message.reaction = given?.emoji;
    const type = before === "working" && now !== "working" ? "working-ended" : now;
    const where = whereOf(chat, message.message_thread_id);
    if (type !== undefined) this.signs.add({ type, where, messageId: String(message.message_id) });
    return true;
  }

  #file(id: string): object {
    const file = this.world.files.get(id);
    if (file === undefined) throw bad("wrong file_id or the file is temporarily unavailable");
    if (file.bytes.length > 20_000_000) throw bad("file is too big");
    return { file_id: id, file_size: file.bytes.length, file_path: file.path };
  }

  #shown({ message_id, chat, from, date, text }: FakeMessage): object {
    return { message_id, chat, from, date, text };
  }
}

export const whereOf = (chat: FakeChat, thread: number | undefined): string => `${chat.id}/${thread ?? ""}`;

const keyboardIn = (markup: unknown): FakeMessage["keyboard"] => {
  const { inline_keyboard: rows = [] } = (markup ?? {}) as { inline_keyboard?: FakeMessage["keyboard"] };
  for (const { text, callback_data } of rows.flat()) {
    const bytes = Buffer.byteLength(callback_data);
    if (bytes < 1 || bytes > 64) throw bad("BUTTON_DATA_INVALID");
    if (text === "") throw bad("button text must be non-empty");
  }
  return rows;
};
