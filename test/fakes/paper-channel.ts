import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type {
  EditingAdapter,
  MovingRoomsAdapter,
  ReconcilingAdapter,
  RoomMove,
  WebhookAdapter,
  WebhookRequest,
} from "../../adapters/contract/abilities.ts";
import type { AdapterContext } from "../../adapters/contract/adapter-context.ts";
import type { Capabilities, Delivery, Inbox, Receipt } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { type FileLimits, readFiles } from "../../adapters/contract/outgoing-file.ts";
import { renderOrFail } from "../../adapters/contract/render-delivery.ts";
import { AppError } from "../../core/contract/app-error.ts";
import type { PersonMessage } from "../../core/contract/messages/user-message.ts";

export interface PaperConfig {
  readonly apiUrl: string;
  readonly token: string;
  readonly secret: string;
  readonly resend: "idempotent" | "repeats";
  readonly timeoutMs: number;
  /** Ends calls in progress before their timeout. */
  readonly abort?: AbortSignal;
  readonly editEveryMs?: number;
  /** Enables streaming. */
  readonly streamEveryMs?: number;
  /** Enables files: a note has their names and contents as text. */
  readonly files?: FileLimits;
}

export type PaperContext = Pick<AdapterContext, "channel" | "tenant" | "agent" | "clock" | "newId">;

const PaperEvent = z.object({
  id: z.string(),
  room: z.string(),
  thread: z.string().optional(),
  direct: z.boolean(),
  author: z.object({ id: z.string(), name: z.string() }),
  text: z.string(),
  at: z.iso.datetime(),
  movedTo: z.string().optional(),
});

/** Errors that a retry of the same event would repeat. */
const PERMANENT: ReadonlySet<string> = new Set(["forbidden", "rate-limited", "too-large", "bad-input"]);

const SIGNATURE_AGE_MS = 5 * 60_000;

/** The adapter of the paper platform, for tests of the gateway. */
export class PaperAdapter implements WebhookAdapter {
  readonly channel: string;
  readonly capabilities: Capabilities;
  readonly webhooks = [
    {
      method: "POST",
      path: "events",
      maxBodyBytes: 64_000,
      handle: (request: WebhookRequest) => this.#receive(request),
    },
  ] as const;
  readonly #config: PaperConfig;
  readonly #context: PaperContext;
  readonly #sending = new Set<Promise<unknown>>();
  #inbox: Inbox | undefined;

  constructor(config: PaperConfig, context: PaperContext) {
    this.#config = config;
    this.#context = context;
    this.channel = context.channel;
    const { resend, editEveryMs = 1_000, streamEveryMs } = config;
    const streaming = streamEveryMs === undefined ? {} : { streamEveryMs };
    const files = config.files === undefined ? {} : { files: config.files };
    this.capabilities = { connection: "shared", resend, maxPartLength: 400, editEveryMs, ...streaming, ...files };
  }

  async start(inbox: Inbox): Promise<void> {
    this.#inbox = inbox;
  }

  async deliver(delivery: Delivery): Promise<Receipt> {
    return this.#send(() => this.#post(delivery));
  }

  async #send(call: () => Promise<Receipt>): Promise<Receipt> {
    if (this.#inbox === undefined) throw new DeliveryFailed("unavailable", "the channel is stopped");
    const sending = call();
    this.#sending.add(sending);
    return sending.finally(() => this.#sending.delete(sending));
  }

  async stop(): Promise<void> {
    this.#inbox = undefined;
    // Bounded: every call to the platform has a timeout.
    await Promise.allSettled(this.#sending);
  }

  async #receive({ headers, body }: WebhookRequest) {
    if (this.#inbox === undefined) return { status: 503 };
    if (!this.#isGenuine(headers, body)) return { status: 401 };
    const event = PaperEvent.safeParse(parseJson(body));
    if (!event.success) return { status: 400, body: event.error.message };
    const message = this.#toMessage(event.data);
    const { room, movedTo } = event.data;
    try {
      if (movedTo !== undefined) await this.roomMoved({ from: room, to: movedTo });
      else await this.#inbox.accept(message);
      return { status: 200 };
    } catch (error) {
      // Not stored, so the platform must retry.
      if (!(error instanceof AppError && PERMANENT.has(error.code))) return { status: 503 };
      this.#showRefusal(message, error);
      return { status: 200 };
    }
  }

  /** Best effort: the refusal holds whether or not the person sees it. */
  #showRefusal({ conversation: { room, thread } }: PersonMessage, { message: text }: AppError): void {
    this.#send(async () => receiptOf(await this.#call("POST", "/notes", { room, thread, text }))).catch(
      () => undefined,
    );
  }

  #isGenuine(headers: WebhookRequest["headers"], body: Buffer): boolean {
    const timestamp = headers["x-paper-timestamp"] ?? "";
    if (!(Math.abs(this.#context.clock.now() - Number(timestamp)) < SIGNATURE_AGE_MS)) return false;
    const expected = createHmac("sha256", this.#config.secret).update(`${timestamp}.`).update(body).digest();
    const given = Buffer.from(headers["x-paper-signature"] ?? "", "hex");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #toMessage({ id, room, thread, direct, author, text, at }: z.infer<typeof PaperEvent>): PersonMessage {
    const { channel, tenant, agent, newId } = this.#context;
    return {
      kind: "message",
      // Contains the channel's name, because two channels may receive the same event.
      id: `${channel}:${id}`,
      tenant,
      agent,
      conversation: { channel, room, kind: direct ? "private" : "shared", ...(thread === undefined ? {} : { thread }) },
      account: author,
      text,
      attachments: [],
      sentAt: at,
      traceId: newId(),
    };
  }

  async #post(delivery: Delivery): Promise<Receipt> {
    const { room, thread, channel } = delivery.target;
    if (channel !== this.channel) throw new DeliveryFailed("rejected", `"${channel}" is another channel`);
    const { text, ...rest } = renderOrFail(delivery, noteOf);
    const files = await readFiles(delivery, this.capabilities.files ?? { maxBytes: 0, maxCount: 0 });
    const shown = files.map(({ name, content }) => `[${name}: ${Buffer.from(content).toString()}]`);
    const note = { text: [text, ...shown].filter((line) => line !== "").join("\n"), ...rest };
    return receiptOf(await this.#call("POST", "/notes", { room, thread, ...note, key: keyOf(delivery.id) }));
  }

  /** Rooms of the plain adapter never move. */
  protected async roomMoved(_: RoomMove): Promise<void> {}

  protected change(messageId: string, delivery: Delivery): Promise<Receipt> {
    const path = `/notes/${encodeURIComponent(messageId)}`;
    return this.#send(async () => receiptOf(await this.#call("PATCH", path, renderOrFail(delivery, noteOf))));
  }

  protected async lookUp({ id, target }: Delivery): Promise<Receipt | "absent" | "unknown"> {
    const query = new URLSearchParams({ key: keyOf(id), room: target.room });
    const answer = z
      .object({ notes: z.array(z.object({ id: z.string() })) })
      .safeParse(await this.#call("GET", `/notes?${query}`));
    if (!answer.success) return "unknown";
    const [note] = answer.data.notes;
    return note ? { messageId: note.id } : "absent";
  }

  async #call(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<unknown> {
    const { timeoutMs, abort } = this.#config;
    let answer: Response;
    try {
      answer = await fetch(`${this.#config.apiUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#config.token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(abort ? [abort] : [])]),
      });
      if (answer.ok) return await answer.json();
    } catch (cause) {
      throw wasNeverSent(cause)
        ? new DeliveryFailed("unavailable", "the platform cannot be reached", { cause })
        : new DeliveryFailed("unknown", "the platform's answer was lost", { cause });
    }
    throw answer.status === 410 ? await movedFailure(answer) : failureOf(answer);
  }
}

/** The same adapter on a platform that can look up a key. */
export class ReconcilingPaperAdapter extends PaperAdapter implements ReconcilingAdapter {
  find(delivery: Delivery): Promise<Receipt | "absent" | "unknown"> {
    return this.lookUp(delivery);
  }
}

/** The same adapter on a platform whose posts can be edited. */
export class EditingPaperAdapter extends PaperAdapter implements EditingAdapter {
  edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    return this.change(messageId, delivery);
  }
}

/** The same adapter on a platform whose rooms can get another id. */
export class MovingPaperAdapter extends ReconcilingPaperAdapter implements MovingRoomsAdapter {
  #report: ((move: RoomMove) => Promise<void>) | undefined;

  reportMovesTo(report: (move: RoomMove) => Promise<void>): void {
    this.#report = report;
  }

  protected override async roomMoved(move: RoomMove): Promise<void> {
    await this.#report?.(move);
  }
}

/** The same adapter with both abilities. */
export class ReconcilingEditingPaperAdapter extends EditingPaperAdapter implements ReconcilingAdapter {
  find(delivery: Delivery): Promise<Receipt | "absent" | "unknown"> {
    return this.lookUp(delivery);
  }
}

/** The adapter class for each additional ability. */
export const paperAbilities = {
  none: PaperAdapter,
  reconciling: ReconcilingPaperAdapter,
  editing: EditingPaperAdapter,
  moving: MovingPaperAdapter,
  "reconciling-editing": ReconcilingEditingPaperAdapter,
};
export type PaperAbility = keyof typeof paperAbilities;

/** A text that the paper adapter cannot render. */
export const undrawable = (text: string): string => `${">".repeat(20)} ${text}`;

const noteOf = ({ part, anchor, plain }: Delivery) => {
  if (!plain && part.markdown.includes(undrawable(""))) throw new RangeError("Maximum call stack size exceeded");
  return { text: inert(part.markdown), footer: anchor?.text };
};

const receiptOf = (answer: unknown): Receipt => {
  const note = z.object({ id: z.string() }).safeParse(answer);
  if (!note.success) throw new DeliveryFailed("unknown", "the platform's answer was not understood");
  return { messageId: note.data.id };
};

const failureOf = ({ status, headers }: Response): DeliveryFailed => {
  if (status === 429) {
    const retryAfterMs = Number(headers.get("retry-after") ?? 1) * 1_000;
    return new DeliveryFailed("rate-limited", "the platform asks to wait", { retryAfterMs });
  }
  if (status === 404) return new DeliveryFailed("target-gone", "the room no longer exists");
  if (status === 401 || status === 403) return new DeliveryFailed("forbidden", "the bot may not post in this room");
  if (status === 503) return new DeliveryFailed("unavailable", "the platform is down");
  if (status >= 500) return new DeliveryFailed("unknown", `the platform failed with ${status}`);
  return new DeliveryFailed("rejected", `the platform refused the note with ${status}`);
};

const movedFailure = async (answer: Response): Promise<DeliveryFailed> => {
  const { movedTo } = z.object({ movedTo: z.string() }).parse(await answer.json());
  return new DeliveryFailed("moved", "the room has another id now", { movedTo });
};

const wasNeverSent = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  "code" in error.cause &&
  error.cause.code === "ECONNREFUSED";

/** `@all` notifies everyone on this platform; with a word joiner inside it is plain text. */
const inert = (markdown: string): string => markdown.replaceAll("@all", "@\u2060all");

/** This platform allows at most 64 characters in a key. */
const keyOf = (deliveryId: string): string => createHash("sha256").update(deliveryId).digest("hex");

const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};
