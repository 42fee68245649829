import { AppError, DeliveryFailed, messageOf, renderOrFail } from "mooring/adapter";
import { isGenuine, parseEvent, toMessage } from "./inbound.js";
import { PaperApi } from "./paper-api.js";
import { keyOf, MAX_PART_LENGTH, renderNote } from "./render.js";

/** @import { Capabilities, Conversation, Delivery, Inbox, Receipt, WebhookRequest, WebhookResponse } from "mooring/adapter" */

/** Deliveries in progress have this long when the channel stops. */
const STOP_WITHIN_MS = 5_000;
/** A refusal that no retry changes: the person sees it, and the platform does not deliver the event again. */
const FINAL = new Set(["forbidden", "rate-limited", "too-large", "bad-input"]);

/**
 * The five members of every adapter, and the abilities of this platform: webhooks, edits, typing, permalinks, a search
 * for sent notes, and a live check.
 */
export class PaperAdapter {
  #config;
  #context;
  #api;
  /** @type {Inbox | undefined} */
  #inbox;
  /** @type {Set<Promise<unknown>>} */
  #sending = new Set();

  /**
   * @param {import("./config.js").PaperConfig} config
   * @param {import("mooring/adapter").AdapterContext} context
   */
  constructor(config, context) {
    this.#config = config;
    this.#context = context;
    this.#api = new PaperApi(config.apiUrl, config.token.reveal());
    this.channel = context.channel;
    /** @type {Capabilities} */
    this.capabilities = {
      connection: "shared",
      resend: "repeats",
      maxPartLength: MAX_PART_LENGTH,
      editEveryMs: 1_000,
      ...(config.streaming && { streamEveryMs: 1_000 }),
    };
    this.webhooks = [
      {
        method: /** @type {const} */ ("POST"),
        path: "events",
        maxBodyBytes: 64_000,
        handle: (/** @type {WebhookRequest} */ request) => this.#receive(request),
      },
    ];
  }

  /** @param {Inbox} inbox */
  async start(inbox) {
    const url = `${this.#context.publicUrl}/channels/${encodeURIComponent(this.channel)}/events`;
    await this.#api.call("PUT", "/webhook", { url });
    this.#inbox = inbox;
  }

  async stop() {
    this.#inbox = undefined;
    const timer = this.#context.clock.after(STOP_WITHIN_MS, () => this.#api.abort());
    await Promise.allSettled(this.#sending);
    timer.cancel();
  }

  /** @param {Delivery} delivery */
  deliver(delivery) {
    return this.#send(delivery, async () => {
      const { room, thread } = delivery.target;
      const note = renderOrFail(delivery, renderNote);
      return receiptOf(await this.#api.call("POST", "/notes", { room, thread, ...note, key: keyOf(delivery.id) }));
    });
  }

  /** @param {string} messageId @param {Delivery} delivery */
  edit(messageId, delivery) {
    return this.#send(delivery, async () => {
      const note = renderOrFail(delivery, renderNote);
      return receiptOf(await this.#api.call("PATCH", `/notes/${encodeURIComponent(messageId)}`, note));
    });
  }

  /**
   * Looks for a note whose sending had no answer.
   * @param {Delivery} delivery
   * @returns {Promise<Receipt | "absent" | "unknown">}
   */
  async find({ id }) {
    const answer = /** @type {{ notes?: { id: string }[] }} */ (await this.#api.call("GET", `/notes?key=${keyOf(id)}`));
    if (!Array.isArray(answer.notes)) return "unknown";
    const [note] = answer.notes;
    return note === undefined ? "absent" : { messageId: note.id };
  }

  /** @param {Conversation} conversation */
  async showTyping({ room, thread }) {
    await this.#api.call("POST", "/typing", { room, thread });
  }

  /** @param {Conversation} _conversation @param {string} messageId */
  async permalink(_conversation, messageId) {
    return new URL(`/notes/${encodeURIComponent(messageId)}`, this.#config.apiUrl).href;
  }

  async checkLive() {
    try {
      await this.#api.call("GET", "/me");
      return [];
    } catch (error) {
      return [`${messageOf(error)}: check apiUrl and token`];
    }
  }

  /** @param {Delivery} delivery @param {() => Promise<Receipt>} call */
  async #send({ target }, call) {
    if (target.channel !== this.channel) throw new DeliveryFailed("rejected", "this delivery is for another channel");
    if (this.#inbox === undefined) throw new DeliveryFailed("unavailable", "the channel is stopped");
    const sending = call();
    this.#sending.add(sending);
    return sending.finally(() => this.#sending.delete(sending));
  }

  /**
   * @param {WebhookRequest} request
   * @returns {Promise<WebhookResponse>}
   */
  async #receive({ headers, body }) {
    if (this.#inbox === undefined) return { status: 503 };
    const { signingSecret, access } = this.#config;
    if (!isGenuine(headers, body, signingSecret.reveal(), this.#context.clock.now())) return { status: 401 };
    const event = parseEvent(body);
    if (event === undefined) return { status: 400 };
    const message = toMessage(event, { context: this.#context, mentionOnly: access.mentionOnly });
    if (message === undefined) return { status: 200 };
    try {
      await this.#inbox.accept(message);
      return { status: 200 };
    } catch (error) {
      // Paper shows the notice to the sender only. Any other failure means: not stored, so the platform must retry.
      if (error instanceof AppError && FINAL.has(error.code))
        return { status: 200, body: JSON.stringify({ notice: error.message }) };
      return { status: 503 };
    }
  }
}

/** @param {unknown} answer @returns {Receipt} */
const receiptOf = (answer) => {
  const { id } = /** @type {{ id?: unknown }} */ (answer ?? {});
  if (typeof id !== "string") throw new DeliveryFailed("unknown", "the platform's answer was not understood");
  return { messageId: id };
};
