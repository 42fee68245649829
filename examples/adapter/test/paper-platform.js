import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { MAX_NOTE_LENGTH } from "../render.js";

/**
 * A note as the people in its room see it.
 * @typedef {{ id: string, room: string, thread?: string, text: string, footer?: string, key?: string,
 *   buttons: { label: string, name: string, value: string }[] }} Note
 */
/**
 * @typedef {"rate-limited" | "unavailable" | "answer-lost" | "failed-after-accept" | "target-gone" | "forbidden" |
 *   "rejected" | "hanging"} Fault
 */

const REFUSALS = { "rate-limited": 429, unavailable: 503, "target-gone": 404, forbidden: 403, rejected: 422 };
export const RETRY_AFTER_SECONDS = 2;

/** A small chat platform on loopback: signed webhooks to the bot, and an HTTP API for its notes. */
export class PaperPlatform {
  token = "paper-token";
  signingSecret = "paper-secret";
  /** @type {Note[]} */
  notes = [];
  /** @type {{ room: string, thread?: string }[]} */
  typing = [];
  /** @type {Fault | undefined} */
  fault;
  #webhook = "";
  #count = 0;
  /** @type {Set<() => void>} */
  #hanging = new Set();
  /** @type {Set<() => void>} */
  #waiting = new Set();
  #server = createServer((request, response) => {
    this.#answer(request, response)
      .catch(() => response.destroy())
      .finally(() => {
        for (const wake of this.#waiting) wake();
      });
  });

  async open() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", () => resolve(undefined)));
    return this;
  }

  get url() {
    const address = /** @type {import("node:net").AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${address.port}`;
  }

  async close() {
    this.recover();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /**
   * Sends an event to the bot.
   * @param {object} event
   * @param {{ now?: number, key?: string, unsigned?: boolean, altered?: boolean }} [forgery]
   * @returns {Promise<{ status: number, notice?: string }>} Status 0: the connection ended without an answer.
   */
  async send(event, { now = Date.now(), key = this.signingSecret, unsigned = false, altered = false } = {}) {
    const body = JSON.stringify(event);
    const signature = createHmac("sha256", key).update(`${now}.${body}`).digest("hex");
    const headers = unsigned ? undefined : { "x-paper-timestamp": String(now), "x-paper-signature": signature };
    try {
      const sent = altered ? body.replace('"text":"', '"text":"not ') : body;
      const answer = await fetch(this.#webhook, { method: "POST", body: sent, ...(headers && { headers }) });
      const text = await answer.text();
      return { status: answer.status, ...(text.startsWith("{") && JSON.parse(text)) };
    } catch {
      return { status: 0 };
    }
  }

  /** Ends the fault and answers hanging requests. */
  recover() {
    this.fault = undefined;
    for (const answer of this.#hanging) answer();
    this.#hanging.clear();
  }

  /**
   * Resolves once the condition holds; checked after each request.
   * @param {() => boolean} holds
   */
  async until(holds) {
    while (!holds()) {
      /** @type {() => void} */
      let wake = () => undefined;
      await new Promise((resolve) => {
        wake = () => resolve(undefined);
        this.#waiting.add(wake);
      });
      this.#waiting.delete(wake);
    }
  }

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  async #answer(request, response) {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
    const reply = (/** @type {number} */ status, /** @type {object} */ answer = {}) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    const note = this.notes.find(({ id }) => pathname === `/notes/${encodeURIComponent(id)}`);
    if (request.method === "GET" && note !== undefined) return reply(200, note);
    if (request.headers.authorization !== `Bearer ${this.token}`) return reply(401);
    switch (`${request.method} ${pathname}`) {
      case "GET /me":
        return reply(200, { bot: "paperbot" });
      case "PUT /webhook":
        this.#webhook = body.url;
        return reply(200);
      case "POST /typing":
        this.typing.push(body);
        return reply(200);
      case "GET /notes":
        if (this.fault === "unavailable") return reply(503);
        return reply(200, { notes: this.notes.filter(({ key }) => key === searchParams.get("key")) });
      case "POST /notes":
        return this.#unlessFaulty(body, response, reply, () => {
          const made = { ...body, id: `note-${++this.#count}` };
          this.notes.push(made);
          return made.id;
        });
    }
    if (request.method !== "PATCH" || note === undefined) return reply(404);
    return this.#unlessFaulty(body, response, reply, () => {
      const { footer: _, ...rest } = note;
      this.notes[this.notes.indexOf(note)] = { ...rest, ...body };
      return note.id;
    });
  }

  /**
   * @param {{ text: string }} input
   * @param {import("node:http").ServerResponse} response
   * @param {(status: number, answer?: object) => void} reply
   * @param {() => string} act
   */
  #unlessFaulty({ text }, response, reply, act) {
    const { fault } = this;
    const isReadable = text.trim() !== "" && text.length <= MAX_NOTE_LENGTH;
    const accept = () => (isReadable ? reply(201, { id: act() }) : reply(422));
    if (fault === undefined) return accept();
    if (fault === "hanging") return void this.#hanging.add(accept);
    if (fault === "answer-lost" || fault === "failed-after-accept") {
      act();
      return fault === "answer-lost" ? void response.destroy() : reply(500);
    }
    if (fault === "rate-limited") response.setHeader("retry-after", RETRY_AFTER_SECONDS);
    return reply(REFUSALS[fault]);
  }
}
