import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { defaultTiming } from "../../../adapters/telegram/api/timing.ts";
import type { Answer, ChannelHarness, HarnessOptions, PlatformFault, Said } from "../../contract/channel-harness.ts";
import { HeldClock } from "../../fakes/held-clock.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import { whereOf } from "../../fakes/telegram/bot-methods.ts";
import { FAULTS, FakeTelegram, RETRY_AFTER_S, type TelegramFault } from "../../fakes/telegram/fake-telegram.ts";
import type { FakeUpdate } from "../../fakes/telegram/updates.ts";
import type { FakeChat, FakeMessage } from "../../fakes/telegram/world.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";
import { makeTelegramAdapter, WEBHOOK_SECRET } from "./make-telegram-adapter.ts";

const PLATFORM_FAULTS: Record<PlatformFault, () => TelegramFault> = {
  "rate-limited": FAULTS.rateLimited,
  unavailable: FAULTS.unavailable,
  "answer-lost": () => "answer-lost",
  "failed-after-accept": () => "failed-after-accept",
  "target-gone": FAULTS.gone,
  forbidden: FAULTS.blocked,
  rejected: FAULTS.rejected,
  hanging: () => "hanging",
};

const TOPICS = { first: 901, second: 902 };
const MOVED_TO = -1_001_000_000_777;

/** Sets up Telegram for the contract suite, with polling or a webhook. */
export const telegramHarness =
  (mode: "polling" | "webhook") =>
  async ({ channel, listens }: HarnessOptions): Promise<ChannelHarness> => {
    const telegram = await FakeTelegram.start();
    const { world, updates, methods } = telegram;
    const host = await new WebhookHost().open();
    const publicUrl = new URL(host.urlOf(channel, "")).origin;
    const clock = new HeldClock(defaultTiming.stopMs);
    const store = new MemoryStore();
    const settings = {
      mode,
      ...(mode === "webhook" && { webhookSecret: WEBHOOK_SECRET }),
      reactions: true,
      access: { accounts: "*", mentionOnly: listens !== "all" },
    };
    let programs = 0;
    let isRunning = false;
    const makeAdapter = () =>
      makeTelegramAdapter(telegram, {
        channel,
        store,
        clock,
        publicUrl,
        settings,
        apiUrl: telegram.apiUrlOf(`program${programs}`),
        timing: { stopMs: defaultTiming.stopMs },
      });
    let adapter = makeAdapter();
    const crashed: (typeof adapter)[] = [];
    const start = async (inbox: Inbox) => {
      // Mounted first, as the gateway does.
      host.mount(adapter);
      await adapter.start(inbox);
      isRunning = true;
      const { stop } = adapter;
      adapter.stop = () => {
        isRunning = false;
        return stop.call(adapter);
      };
    };
    let room: FakeChat = world.group;
    const sent = new Map<string, FakeUpdate[]>();
    const pressed = new Map<string, number>();
    const settle = async (sending: readonly FakeUpdate[]): Promise<Answer> => {
      if (mode === "webhook") {
        const statuses = await updates.post(sending);
        return statuses.every((status) => status === 200) ? "acknowledged" : "refused";
      }
      const confirmed = updates.queue(sending);
      // Without a program, Telegram keeps the update.
      if (!isRunning) return "none";
      await confirmed;
      return "none";
    };
    const updatesOf = ({ text, person = "ann", kind = "private", event, mention = true, ...said }: Said) => {
      const key = `${kind}/${event}`;
      const known = event === undefined ? undefined : sent.get(key);
      if (known !== undefined) return known;
      const isBot = person === "this bot" || person === "another bot";
      const made = telegram.write({
        person,
        in: kind === "shared" ? room : world.privateChat(isBot ? "ann" : person),
        text,
        mention: kind === "shared" && mention,
        ...(kind === "shared" && said.thread && { topic: TOPICS[said.thread] }),
        ...(said.replyTo !== undefined && { answers: Number(said.replyTo) }),
        files: said.files ?? [],
        more: { ...(said.at !== undefined && { date: Date.parse(said.at) / 1_000 }) },
      });
      if (event !== undefined) sent.set(key, made);
      return made;
    };
    return {
      get adapter() {
        return adapter;
      },
      kinds: ["private", "shared"],
      platform: {
        mentions: true,
        threads: true,
        replies: true,
        unmentionedReplies: true,
        attachments: true,
        bots: true,
        edits: true,
        buttons: true,
        quotes: true,
        times: true,
        idsPerRoom: true,
      },
      retryAfterMs: RETRY_AFTER_S * 1_000,
      hostile: {
        massMention: "@ann_user",
        anchor: '<blockquote>↳ Re: "deep research"</blockquote>\n> ↳ Re: "deep research"',
      },
      start,
      async restart(inbox) {
        telegram.cutOff(`program${programs}`);
        crashed.push(adapter);
        programs += 1;
        adapter = makeAdapter();
        await start(inbox);
      },
      async userSays(said) {
        const isKnown = said.event !== undefined && sent.has(`${said.kind ?? "private"}/${said.event}`);
        const sending = updatesOf(said);
        // Telegram never repeats a confirmed update to a program that polls.
        if (isKnown && mode === "polling") return "none";
        return settle(sending);
      },
      async userEdits({ text, event, kind = "private" }) {
        const [original] = sent.get(`${kind}/${event}`) ?? [];
        const message = original?.message as FakeMessage;
        const mention = kind === "shared" ? `@${world.bot.username} ` : "";
        const entities = mention === "" ? [] : [{ type: "mention", offset: 0, length: mention.length - 1 }];
        await settle([
          updates.number({
            edited_message: { ...message, edit_date: message.date + 1, text: `${mention}${text}`, entities },
          }),
        ]);
      },
      async press({ messageId, label, person = "ann" }) {
        const message = telegram.posted.findLast(({ message_id }) => String(message_id) === messageId);
        if (message === undefined) throw new Error(`there is no message ${messageId}`);
        const count = (pressed.get(messageId) ?? 0) + 1;
        pressed.set(messageId, count);
        const answers = methods.presses.items.length;
        const settled = await settle([telegram.press(person, message, label, `press-${messageId}-${count}`)]);
        if (settled === "refused") return "refused";
        const [answered] = (await methods.presses.count(answers + 1)).slice(answers);
        if (answered?.text !== undefined) return "denied";
        return settled;
      },
      async forge(said, forgery) {
        const secret = { unsigned: undefined, "wrong-key": "another-secret_of-it" };
        if (forgery !== "unsigned" && forgery !== "wrong-key") return "impossible";
        const url = updates.webhook.url;
        const headers: Record<string, string> = { "content-type": "application/json" };
        const given = secret[forgery];
        if (given !== undefined) headers["x-telegram-bot-api-secret-token"] = given;
        const [update] = updatesOf(said);
        const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(update) });
        return response.status === 200 ? "acknowledged" : "refused";
      },
      async posted(atLeast) {
        const posts = () => postsIn(telegram.posted);
        await world.changes.until(() => posts().length >= atLeast);
        return posts().map((post) => ({
          text: withoutAnchor(post),
          anchored: post.entities.some(({ type }) => type === "blockquote"),
          pings: /(?<!\w)@\w/.test(post.text) || post.entities.some(({ url }) => url?.startsWith("tg:")),
          messageId: String(post.message_id),
          where: whereOf(post.chat, post.message_thread_id),
          buttons: post.keyboard.flat().map(({ text }) => text),
          files: post.files.map(({ file_id, file_name }) => ({
            name: file_name,
            bytes: world.files.get(file_id)?.bytes ?? Buffer.alloc(0),
          })),
          ...(post.reply_to !== undefined && { answers: String(post.reply_to) }),
        }));
      },
      async textAt(link) {
        const [, chat, id] = /^https:\/\/t\.me\/c\/(\d+)\/(?:\d+\/)?(\d+)$/.exec(link) ?? [];
        return world.find(Number(`-100${chat}`), Number(id))?.text;
      },
      async signsDuring(act) {
        const before = methods.signs.items.length;
        await act();
        return methods.signs.items.slice(before);
      },
      breakPlatform(fault) {
        const sends = /^(send(?!ChatAction)|editMessage)/;
        telegram.faultIn = ({ method }) => (sends.test(method) ? PLATFORM_FAULTS[fault]() : undefined);
      },
      recoverPlatform: () => telegram.recover(),
      expireStop: () => clock.expire(),
      async moveRoom() {
        const announced = telegram.move(world.group, MOVED_TO);
        room = world.addGroup(MOVED_TO);
        if (mode === "webhook") return settle([announced]);
        // A move that cannot be stored is never confirmed.
        void updates.queue([announced]);
        return "none";
      },
      removePost: (messageId) => world.remove(Number(messageId)),
      async close() {
        clock.expire();
        await Promise.all([adapter, ...crashed].map((each) => each.stop()));
        await host.close();
        await telegram.stop();
      },
    };
  };

/** The messages of an album are one post with several files. */
const postsIn = (messages: readonly FakeMessage[]): readonly FakeMessage[] => {
  const posts: FakeMessage[] = [];
  for (const message of messages) {
    const last = posts.at(-1);
    if (last !== undefined && message.album !== undefined && last.album === message.album) {
      posts.splice(-1, 1, { ...last, files: [...last.files, ...message.files] });
    } else posts.push(message);
  }
  return posts;
};

/** The text below the anchor: people see the anchor as a block of its own. */
const withoutAnchor = ({ text, entities }: FakeMessage): string =>
  entities
    .filter(({ type }) => type === "blockquote")
    .toReversed()
    .reduce((rest, { offset, length }) => rest.slice(0, offset) + rest.slice(offset + length), text);
