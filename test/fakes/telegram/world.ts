import { Recorder } from "../recorder.ts";
import type { FakeEntity } from "./parse-html.ts";

export interface FakeUser {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username: string;
  readonly language_code?: string;
}

export interface FakeChat {
  id: number;
  readonly type: "private" | "group" | "supergroup";
  readonly is_forum?: boolean;
}

export interface FakeFile {
  readonly file_id: string;
  readonly file_name: string;
  readonly mime_type: string;
  readonly file_size: number;
}

export interface FakeMessage {
  readonly message_id: number;
  readonly chat: FakeChat;
  readonly from: FakeUser;
  readonly date: number;
  readonly message_thread_id?: number;
  readonly is_topic_message?: boolean;
  text: string;
  entities: readonly FakeEntity[];
  keyboard: readonly (readonly { text: string; callback_data: string }[])[];
  readonly reply_to?: number | undefined;
  readonly files: readonly FakeFile[];
  readonly album?: string | undefined;
  /** The bot's only reaction. */
  reaction?: string | undefined;
}

export const BOT_ID = 7_000_000_001;

/** The people, chats, messages and files of a Telegram. Ids are the same in each world. */
export class TelegramWorld {
  readonly bot: FakeUser = { id: BOT_ID, is_bot: true, first_name: "Mooring", username: "mooring_bot" };
  readonly messages: FakeMessage[] = [];
  readonly files = new Map<string, { readonly path: string; readonly bytes: Buffer }>();
  /** People who have not written to the bot, or have blocked it, cannot be reached. */
  readonly reachable = new Set<number>();
  readonly moved = new Map<number, number>();
  readonly changes = new Recorder<"changed">();
  readonly group: FakeChat = { id: -1_001_000_000_001, type: "supergroup", is_forum: true };
  readonly #people = new Map<string, FakeUser>();
  readonly #chats = new Map<number, FakeChat>([[this.group.id, this.group]]);
  readonly #lastIds = new Map<number, number>();

  person(name: string): FakeUser {
    const known = this.#people.get(name);
    if (known !== undefined) return known;
    const id = 100_001 + this.#people.size;
    const person = {
      id,
      is_bot: name.includes("bot"),
      first_name: name,
      username: `${name}_user`,
      language_code: "en",
    };
    this.#people.set(name, person);
    return person;
  }

  privateChat(name: string): FakeChat {
    const { id } = this.person(name);
    this.reachable.add(id);
    return this.#known({ id, type: "private" });
  }

  addGroup(id: number, type: "group" | "supergroup" = "supergroup"): FakeChat {
    return this.#known({ id, type });
  }

  chat(id: number): FakeChat | undefined {
    const found = this.#chats.get(id);
    return found?.type === "private" && !this.reachable.has(id) ? undefined : found;
  }

  nextId(chat: FakeChat): number {
    const id = (this.#lastIds.get(chat.id) ?? 10) + 1;
    this.#lastIds.set(chat.id, id);
    return id;
  }

  add(message: FakeMessage): FakeMessage {
    this.messages.push(message);
    this.changes.add("changed");
    return message;
  }

  find(chatId: number, messageId: number): FakeMessage | undefined {
    return this.messages.find(({ chat, message_id }) => chat.id === chatId && message_id === messageId);
  }

  remove(messageId: number): void {
    const at = this.messages.findIndex(({ from, message_id }) => from.is_bot && message_id === messageId);
    if (at >= 0) this.messages.splice(at, 1);
  }

  addFile(name: string, mediaType: string, bytes: Buffer): FakeFile {
    const file_id = `BQACAgIAAxkB${this.files.size + 1}`;
    this.files.set(file_id, { path: `documents/file_${this.files.size + 1}`, bytes });
    return { file_id, file_name: name, mime_type: mediaType, file_size: bytes.length };
  }

  /** The bot's messages. */
  get posted(): readonly FakeMessage[] {
    return this.messages.filter(({ from }) => from.id === BOT_ID);
  }

  #known(chat: FakeChat): FakeChat {
    const known = this.#chats.get(chat.id) ?? chat;
    this.#chats.set(chat.id, known);
    return known;
  }
}
