import { createHmac } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

export const MAX_NOTE_LENGTH = 400;

const NoteInput = z.object({
  room: z.string(),
  thread: z.string().optional(),
  text: z.string(),
  footer: z.string().optional(),
  key: z.string().optional(),
});

const NoteChange = z.object({ text: z.string(), footer: z.string().optional() });

/** A message as the people in its room see it. */
export interface Note extends z.infer<typeof NoteInput> {
  readonly id: string;
}

export interface PaperEvent {
  readonly id: string;
  readonly room: string;
  readonly thread?: string;
  readonly direct: boolean;
  readonly author: { readonly id: string; readonly name: string };
  readonly text: string;
  readonly at: string;
  /** The room's new id: the event announces that the room has moved. */
  readonly movedTo?: string;
}

/**
 * rate-limited: 429 with Retry-After. unavailable: 503. cut-after-accept: posts the note, then cuts the connection.
 * fail-after-accept: posts the note, then responds with 500. room-gone: 404. no-access: 403. unreadable: 422.
 * hang: no response until `recover`.
 */
export type PaperFault =
  | "rate-limited"
  | "unavailable"
  | "cut-after-accept"
  | "fail-after-accept"
  | "room-gone"
  | "no-access"
  | "unreadable"
  | "hang";

export const RETRY_AFTER_S = 2;

/** How an event is signed; an empty secret omits the signature. */
export interface Signing {
  readonly signedAs?: PaperEvent;
  readonly secret?: string;
  readonly at?: number;
}

/** A small local chat platform: signed webhooks to the bot, and an HTTP API for its posts. */
export class PaperPlatform {
  readonly token = "paper-token";
  readonly secret = "paper-secret";
  readonly notes: Note[] = [];
  /** Number of calls that post, including refused ones. */
  posts = 0;
  /** The text of each edit, in order, over all notes. */
  readonly edits: string[] = [];
  /** The new ids of rooms that have moved: posts to the old ids fail. */
  readonly movedRooms = new Map<string, string>();
  /** Deduplicates notes by their key while the platform runs. */
  recognisesKeys = false;
  /** Called for each request with its room. */
  faultIn: (room: string) => PaperFault | undefined = () => undefined;
  #webhookUrl: string | undefined;
  readonly #server: Server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });
  readonly #hanging = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  #stored = 0;

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  sendEventsTo(webhookUrl: string): void {
    this.#webhookUrl = webhookUrl;
  }

  /** Posts one event to the bot; resolves to the HTTP status, or "cut" if the connection ended without a response. */
  async sendEvent(
    event: PaperEvent,
    { signedAs = event, secret = this.secret, at = Date.parse(event.at) }: Signing = {},
  ) {
    const body = JSON.stringify(event);
    const timestamp = String(at);
    const signed = `${timestamp}.${JSON.stringify(signedAs)}`;
    const signature = createHmac("sha256", secret).update(signed).digest("hex");
    try {
      const answer = await fetch(this.#webhookUrl ?? "", {
        method: "POST",
        headers: secret === "" ? {} : { "x-paper-timestamp": timestamp, "x-paper-signature": signature },
        body,
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return "cut" as const;
    }
  }

  /** Ends all faults and answers hanging requests. */
  recover(): void {
    this.faultIn = () => undefined;
    for (const release of this.#hanging) release();
    this.#hanging.clear();
  }

  /** Resolves once the condition holds; checked after each API call. */
  async until(holds: (platform: this) => boolean): Promise<void> {
    while (!holds(this)) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.apiUrl);
    const body = await text(request);
    if (request.headers.authorization !== `Bearer ${this.token}`) {
      reply(response, 401);
    } else if (request.method === "GET") {
      this.#find(url.searchParams, response);
    } else if (request.method === "PATCH") {
      this.#change(url.pathname.replace("/notes/", ""), NoteChange.parse(JSON.parse(body)), response);
    } else {
      this.posts++;
      this.#post(NoteInput.parse(JSON.parse(body)), response);
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #find(query: URLSearchParams, response: ServerResponse): void {
    const found = this.notes.filter(({ key }) => key === query.get("key"));
    if (this.faultIn(query.get("room") ?? "") === "unavailable") reply(response, 503);
    else reply(response, 200, { notes: found });
  }

  #post(input: z.infer<typeof NoteInput>, response: ServerResponse): void {
    const movedTo = this.movedRooms.get(input.room);
    if (movedTo !== undefined) reply(response, 410, { movedTo });
    else this.#unlessFaulty(input, response, () => this.#store(input).id);
  }

  #change(id: string, change: z.infer<typeof NoteChange>, response: ServerResponse): void {
    const at = this.notes.findIndex((note) => note.id === id);
    const note = this.notes[at];
    if (note === undefined) {
      reply(response, 404);
      return;
    }
    const { text, footer } = change;
    this.#unlessFaulty({ room: note.room, text }, response, () => {
      const { footer: _, ...rest } = note;
      this.notes[at] = { ...rest, text, ...(footer !== undefined && { footer }) };
      this.edits.push(text);
      return id;
    });
  }

  /** Executes the call and responds with the note's id, unless there is a fault. */
  #unlessFaulty(input: { room: string; text: string }, response: ServerResponse, act: () => string): void {
    const fault = this.faultIn(input.room);
    const accept = () => {
      const readable = input.text.trim() !== "" && input.text.length <= MAX_NOTE_LENGTH;
      if (readable) reply(response, 201, { id: act() });
      else reply(response, 422);
    };
    if (fault === undefined) {
      accept();
    } else if (fault === "hang") {
      this.#hanging.add(accept);
    } else if (fault === "cut-after-accept") {
      act();
      response.destroy();
    } else if (fault === "fail-after-accept") {
      act();
      reply(response, 500);
    } else {
      if (fault === "rate-limited") response.setHeader("retry-after", String(RETRY_AFTER_S));
      reply(response, REFUSALS[fault]);
    }
  }

  #store(input: z.infer<typeof NoteInput>): Note {
    const earlier = this.recognisesKeys
      ? this.notes.find(({ key }) => key !== undefined && key === input.key)
      : undefined;
    if (earlier) return earlier;
    const note = { ...input, id: `note-${++this.#stored}` };
    this.notes.push(note);
    return note;
  }
}

const REFUSALS = {
  "rate-limited": 429,
  unavailable: 503,
  "room-gone": 404,
  "no-access": 403,
  unreadable: 422,
} as const;

const reply = (response: ServerResponse, status: number, body: unknown = {}): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

const text = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};
