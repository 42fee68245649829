import {
  FakeTelegram,
  FAULTS as REFUSALS,
  type Saying,
  type TelegramFault,
} from "../../fakes/telegram/fake-telegram.ts";
import type { FakeMessage } from "../../fakes/telegram/world.ts";
import { conversationName, type Seen } from "../account/account.ts";
import type { PlatformFaultKind } from "../plan/fault.ts";
import type { Crowd, Surface } from "./crowd.ts";
import { NextFaults } from "./next-faults.ts";

const FAULTS: Readonly<Record<PlatformFaultKind, () => TelegramFault>> = {
  "429": REFUSALS.rateLimited,
  "503": REFUSALS.unavailable,
  "lost answer": () => "answer-lost",
};

const FIRST_TOPIC = 901;

/** People in Telegram, whose bot is polled: each in their private chat, and in a topic of the group. */
export class TelegramCrowd implements Crowd {
  readonly tells = false;
  readonly nextFaults = new NextFaults<PlatformFaultKind>();
  readonly #telegram: FakeTelegram;
  readonly #topics = new Map<string, number>();
  #forgotten = 0;

  private constructor(telegram: FakeTelegram) {
    this.#telegram = telegram;
    telegram.faultIn = ({ method }) => {
      const isPost = /^(send(?!ChatAction)|editMessage)/.test(method);
      const fault = isPost ? this.nextFaults.next() : undefined;
      return fault && FAULTS[fault]();
    };
  }

  static async start(): Promise<TelegramCrowd> {
    return new TelegramCrowd(await FakeTelegram.start());
  }

  get config(): object {
    const { token, apiUrl } = this.#telegram;
    return { adapter: "telegram", botToken: token, apiUrl, access: { accounts: "*" } };
  }

  accountOf(person: string): string {
    return String(this.#telegram.world.privateChat(person).id);
  }

  surfacesOf(person: string): readonly Surface[] {
    const { world } = this.#telegram;
    const topic = this.#topics.get(person) ?? FIRST_TOPIC + this.#topics.size;
    this.#topics.set(person, topic);
    const own = world.privateChat(person);
    return [
      this.#surface({ person, in: own }, { room: String(own.id) }),
      this.#surface(
        { person, in: world.group, topic, mention: true },
        { room: String(world.group.id), thread: String(topic) },
      ),
    ];
  }

  seen(): readonly Seen[] {
    return this.#telegram.posted.slice(this.#forgotten).map((message) => {
      const { chat, message_thread_id: topic } = message;
      const thread = topic === undefined ? {} : { thread: String(topic) };
      const conversation = conversationName({ channel: "telegram", room: String(chat.id), ...thread });
      return { conversation, ...shownIn(message) };
    });
  }

  forget(): void {
    this.#forgotten = this.#telegram.posted.length;
  }

  stop(): Promise<void> {
    return this.#telegram.stop();
  }

  /** Telegram keeps a message until a later poll confirms it. */
  #surface(from: Omit<Saying, "text">, place: { readonly room: string; readonly thread?: string }): Surface {
    const { updates } = this.#telegram;
    return {
      conversation: conversationName({ channel: "telegram", ...place }),
      isPrivate: place.thread === undefined,
      say: async (text, again) => {
        const said = this.#telegram.write({ ...from, text });
        await this.#telegram.send(said);
        if (again) await this.#telegram.send(said.map(({ update_id: _, ...update }) => updates.number(update)));
      },
    };
  }
}

/** An anchor is the block quote at the beginning of a message. */
const shownIn = ({ text, entities }: FakeMessage): Pick<Seen, "text" | "anchor"> => {
  const quote = entities.find(({ type, offset }) => type === "blockquote" && offset === 0);
  if (quote === undefined) return { text };
  return { text: text.slice(quote.length), anchor: text.slice(0, quote.length) };
};
