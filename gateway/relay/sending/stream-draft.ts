import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { DeliveryRequest, type RequestOf, requestId } from "../../../core/contract/messages/delivery-request.ts";
import type { UserSignal } from "../../../core/contract/messages/signals.ts";
import { type Clock, isoTime, type Timer } from "../../../core/contract/ports/clock.ts";
import type { RelayContext } from "../context.ts";

type StreamStart = RequestOf<"stream-start">;
export type Delta = Extract<UserSignal, { type: "delta" }>;

/** More than any first message can hold. */
const MAX_CHARS = 20_000;

/** The text of a streamed answer so far. After a lost signal it stops growing until the model starts over. */
export class WrittenText {
  #attempt = Number.NEGATIVE_INFINITY;
  #text = "";

  get text(): string {
    return this.#text;
  }

  /** Whether it has changed. */
  add({ attempt, offset, text }: Pick<Delta, "attempt" | "offset" | "text">): boolean {
    if (attempt < this.#attempt) return false;
    if (attempt > this.#attempt) {
      this.#attempt = attempt;
      this.#text = "";
    }
    if (offset !== this.#text.length || offset > MAX_CHARS) return false;
    this.#text += text;
    return true;
  }
}

export type Written = Pick<Delta, "conversation" | "correlationId" | "answers" | "accountId"> & {
  readonly replyId: string;
};

/** The request that starts a stream: the answer so far, without the fields that only the final reply has. */
export const beginRequest = (
  { tenant, agent, clock }: Pick<RelayContext, "tenant" | "agent" | "clock">,
  { replyId, conversation, correlationId, answers, accountId }: Written,
  markdown: string,
): StreamStart => ({
  kind: "stream-start",
  id: requestId({ id: replyId }, conversation),
  target: conversation,
  begins: true,
  reply: {
    id: replyId,
    tenant,
    agent,
    sessionId: null,
    kind: "progress",
    markdown,
    correlationId,
    ...(answers !== undefined && { answers }),
    origin: null,
    audience: { conversation, personId: null, ...(accountId !== undefined && { accountId }) },
    createdAt: isoTime(clock.now()),
    traceId: replyId,
  },
});

/** No configured channel can have this name, so gateways that do not know drafts find no target for them. */
const DRAFT_CHANNEL = "-draft";

/** Takes a stream's start through the queue of the agent's replies, behind those of the same conversation (F34). */
export const draftReply = (request: StreamStart): AgentReply => ({
  ...request.reply,
  id: startId(request),
  audience: { conversation: { channel: DRAFT_CHANNEL, room: request.reply.id, kind: "private" }, personId: null },
  data: { draft: request },
});

export const draftIn = ({ audience, data }: AgentReply): StreamStart | undefined => {
  if (audience.conversation.channel !== DRAFT_CHANNEL) return undefined;
  const { data: request } = DeliveryRequest.safeParse(data?.draft);
  return request?.kind === "stream-start" ? request : undefined;
};

/** Not the id of the final reply's request: the bus would take one of them for a duplicate. */
export const startId = ({ id }: StreamStart): string => `${id}/begins`;

interface LiveEditsDeps<M> {
  readonly clock: Clock;
  /** Between two edits of one message. */
  readonly messageEveryMs: (message: M) => number;
  /** Between any two edits. */
  readonly channelEveryMs: number;
  /** Never rejects. Resolves to the pause that the platform asks for. */
  edit(message: M): Promise<number>;
}

/** Schedules edits: the message that has waited longest first, none more often than the platform allows (D8). */
export class LiveEdits<M extends object> {
  readonly #deps: LiveEditsDeps<M>;
  readonly #wanted = new Set<M>();
  readonly #inProgress = new Map<M, Promise<void>>();
  readonly #readyAt = new WeakMap<M, number>();
  #channelReadyAt = 0;
  #timer: Timer | undefined;

  constructor(deps: LiveEditsDeps<M>) {
    this.#deps = deps;
  }

  /** Starts the pause of a message that was posted just now. */
  posted(message: M): void {
    this.#readyAt.set(message, this.#deps.clock.monotonic() + this.#deps.messageEveryMs(message));
  }

  want(message: M): void {
    this.#wanted.add(message);
    this.#plan();
  }

  /** Starts no further edit of the message; resolves when none is in progress. */
  async end(message: M): Promise<void> {
    this.#wanted.delete(message);
    this.#plan();
    await this.#inProgress.get(message);
  }

  close(): void {
    this.#wanted.clear();
    this.#timer?.cancel();
  }

  #plan(): void {
    this.#timer?.cancel();
    const next = this.#next();
    if (next === undefined) return;
    const { clock } = this.#deps;
    const at = Math.max(this.#channelReadyAt, this.#readyAt.get(next) ?? 0);
    this.#timer = clock.after(Math.max(0, at - clock.monotonic()), () => {
      this.#start(next);
      this.#plan();
    });
  }

  #next(): M | undefined {
    let next: M | undefined;
    for (const message of this.#wanted) {
      if (this.#inProgress.has(message)) continue;
      if (next === undefined || (this.#readyAt.get(message) ?? 0) < (this.#readyAt.get(next) ?? 0)) next = message;
    }
    return next;
  }

  #start(message: M): void {
    const { clock, messageEveryMs, channelEveryMs, edit } = this.#deps;
    const now = clock.monotonic();
    this.#wanted.delete(message);
    this.#readyAt.set(message, now + messageEveryMs(message));
    this.#channelReadyAt = now + channelEveryMs;
    const editing = edit(message).then((pauseMs) => {
      this.#channelReadyAt = Math.max(this.#channelReadyAt, clock.monotonic() + pauseMs);
      this.#inProgress.delete(message);
      this.#plan();
    });
    this.#inProgress.set(message, editing);
  }
}
