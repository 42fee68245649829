import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Recorder } from "../recorder.ts";
import { type BotCall, BotMethods, Refused } from "./bot-methods.ts";
import { type FakeUpdate, FakeUpdates } from "./updates.ts";
import { type FakeChat, type FakeMessage, TelegramWorld } from "./world.ts";

/**
 * answer-lost: executes the call, then cuts the connection. failed-after-accept: executes it, then answers 502.
 * hanging: no response until `recover`.
 */
export type TelegramFault = "answer-lost" | "failed-after-accept" | "hanging" | Refused;

export const RETRY_AFTER_S = 3;

export const FAULTS = {
  rateLimited: () =>
    new Refused(429, `Too Many Requests: retry after ${RETRY_AFTER_S}`, { retry_after: RETRY_AFTER_S }),
  unavailable: () => new Refused(503, "Service Unavailable"),
  blocked: () => new Refused(403, "Forbidden: bot was blocked by the user"),
  kicked: () => new Refused(403, "Forbidden: bot was kicked from the supergroup chat"),
  gone: () => new Refused(400, "Bad Request: chat not found"),
  rejected: () => new Refused(400, "Bad Request: MESSAGE_REJECTED"),
};

export interface Saying {
  readonly person: string;
  readonly in: FakeChat;
  readonly text: string;
  readonly mention?: boolean;
  readonly topic?: number;
  readonly answers?: number;
  readonly files?: readonly { readonly name: string; readonly mediaType: string; readonly bytes: Buffer }[];
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A local Bot API server with its world. Each bot program has an address of its own, so that a test can cut it off. */
export class FakeTelegram {
  token = "7000000001:AAfake-token_of-the-bot";
  readonly world = new TelegramWorld();
  readonly updates = new FakeUpdates();
  readonly methods = new BotMethods(this.world, this.updates);
  readonly calls = new Recorder<BotCall>();
  faultIn: (call: BotCall) => TelegramFault | undefined = () => undefined;
  readonly #cutOff = new Set<string>();
  readonly #hanging = new Set<() => void>();
  readonly #server: Server = createServer((request, response) => {
    void this.#handle(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<FakeTelegram> {
    const telegram = new FakeTelegram();
    await new Promise<void>((resolve) => telegram.#server.listen(0, "127.0.0.1", resolve));
    return telegram;
  }

  get apiUrl(): string {
    return this.apiUrlOf("one");
  }

  apiUrlOf(program: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${program}`;
  }

  /** As if the program had crashed: its requests end, and later ones fail. */
  cutOff(program: string): void {
    this.#cutOff.add(program);
    this.updates.endPoll();
  }

  recover(): void {
    this.faultIn = () => undefined;
    for (const release of this.#hanging) release();
    this.#hanging.clear();
  }

  get posted(): readonly FakeMessage[] {
    return this.world.posted;
  }

  async untilPosted(count: number): Promise<void> {
    await this.world.changes.until(() => this.posted.length >= count);
  }

  /** A message of a person in the world, and its update; an album has one for each file. */
  write(saying: Saying): FakeUpdate[] {
    const { person, in: chat, files = [], more = {} } = saying;
    const from = person === "this bot" ? this.world.bot : this.world.person(person);
    const added = files.map(({ name, mediaType, bytes }) => this.world.addFile(name, mediaType, bytes));
    const album = added.length > 1 ? { media_group_id: `album-${this.world.messages.length}` } : {};
    const parts = added.length > 0 ? added : [undefined];
    return parts.map((document, index) => {
      const { topic, answers } = saying;
      const place = topic === undefined ? {} : { message_thread_id: topic, is_topic_message: true };
      const content = index === 0 ? contentOf(saying, this.world.bot.username) : { text: "", entities: [] };
      const base = { message_id: this.world.nextId(chat), chat, from, date: Math.floor(Date.now() / 1_000), ...more };
      const message = {
        ...base,
        ...place,
        ...content,
        keyboard: [],
        reply_to: answers,
        files: document ? [document] : [],
      };
      this.world.add(message);
      const answered = this.world.find(chat.id, answers ?? topic ?? 0);
      return this.updates.number({
        message: {
          ...base,
          ...place,
          ...album,
          ...(document ? captioned(content) : content),
          ...(document && { document }),
          ...((answered ?? topic) !== undefined && {
            reply_to_message: {
              message_id: answers ?? topic,
              ...(answered && { from: answered.from, date: answered.date, text: answered.text }),
              chat,
            },
          }),
        },
      });
    });
  }

  /** Queues the message for polling, or sends it to the webhook. Resolves once it is acknowledged or refused. */
  async say(saying: Saying): Promise<void> {
    await this.send(this.write(saying));
  }

  async send(updates: readonly FakeUpdate[]): Promise<void> {
    if (this.updates.webhook.url !== "") await this.updates.post(updates);
    else await this.updates.queue(updates);
  }

  press(person: string, message: FakeMessage, label: string, id = `press-${message.message_id}`): FakeUpdate {
    const button = message.keyboard.flat().find(({ text }) => text === label);
    if (button === undefined) throw new Error(`there is no button "${label}"`);
    const { keyboard: _, files: __, ...shown } = message;
    return this.updates.number({
      callback_query: {
        id,
        from: this.world.person(person),
        chat_instance: "1",
        data: button.callback_data,
        message: shown,
      },
    });
  }

  /** The group becomes a supergroup. */
  move(from: FakeChat, to: number): FakeUpdate {
    this.world.moved.set(from.id, to);
    const chat = this.world.addGroup(to);
    void chat;
    const message_id = this.world.nextId(from);
    return this.updates.number({
      message: { message_id, chat: from, from: this.world.person("ann"), date: 1, migrate_to_chat_id: to },
    });
  }

  async stop(): Promise<void> {
    this.recover();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent((request.url ?? "").split("?", 1)[0] ?? "");
    const [, program = ""] = path.split("/");
    if (this.#cutOff.has(program)) return void response.destroy();
    const file = path.startsWith(`/${program}/file/bot${this.token}/`) ? path.split(`bot${this.token}/`)[1] : undefined;
    if (file !== undefined) return this.#download(file, response);
    const [, token, method = ""] = /^\/\w+\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    const call = { method, ...(await bodyOf(request)) };
    if (token !== this.token) return answer(response, 401, { ok: false, error_code: 401, description: "Unauthorized" });
    this.calls.add(call);
    if (method === "getUpdates") return this.#poll(call, request, response);
    await this.#answer(call, response);
  }

  async #answer(call: BotCall, response: ServerResponse): Promise<void> {
    let fault = this.faultIn(call);
    if (fault === "hanging") {
      await new Promise<void>((resolve) => this.#hanging.add(resolve));
      fault = undefined;
    }
    try {
      if (fault instanceof Refused) throw fault;
      const result = await this.methods.call(call);
      if (fault === "answer-lost") return void response.destroy();
      if (fault === "failed-after-accept") return void response.writeHead(502).end("<h1>Bad Gateway</h1>");
      answer(response, 200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { status, message: description, parameters } = error;
      answer(response, status, { ok: false, error_code: status, description, ...(parameters && { parameters }) });
    }
  }

  async #poll({ body }: BotCall, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const conflict = (why: string) =>
      answer(response, 409, { ok: false, error_code: 409, description: `Conflict: ${why}` });
    if (this.updates.webhook.url !== "") {
      return conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    response.on("close", () => {
      if (!response.writableFinished) this.updates.dropPoll();
    });
    void request;
    const ended = () =>
      conflict("terminated by other getUpdates request; make sure that only one bot instance is running");
    const result = await this.updates.getUpdates(Number(body.offset ?? 0), Number(body.timeout ?? 0), ended);
    if (result !== "conflict") answer(response, 200, { ok: true, result });
  }

  #download(path: string, response: ServerResponse): void {
    const found = [...this.world.files.values()].find((file) => file.path === path);
    if (found === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(found.bytes);
  }
}

const answer = (response: ServerResponse, status: number, body: object): void => {
  if (response.writableEnded) return;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

/** The text with the bot's mention in front of it, and the entities that Telegram finds in it. */
const contentOf = ({ text, mention }: Saying, botName: string) => {
  const whole = mention ? `@${botName} ${text}` : text;
  const entities = [...whole.matchAll(/(?<!\w)@\w+|^\/\w+(?:@\w+)?/g)].map((found) => ({
    type: found[0].startsWith("/") ? "bot_command" : "mention",
    offset: found.index,
    length: found[0].length,
  }));
  return { text: whole, entities };
};

const captioned = ({ text, entities }: { text: string; entities: readonly unknown[] }) =>
  text === "" ? {} : { caption: text, caption_entities: entities };

const bodyOf = async (request: IncomingMessage): Promise<Pick<BotCall, "body" | "files">> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/"))
    return { body: bytes.length === 0 ? {} : JSON.parse(bytes.toString()), files: [] };
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const body: Record<string, unknown> = {};
  const files: BotCall["files"][number][] = [];
  for (const [field, value] of form) {
    if (typeof value === "string")
      body[field] = /^[[{\d-]/.test(value) && field !== "caption" ? JSON.parse(value) : value;
    else files.push({ field, name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return { body, files };
};
