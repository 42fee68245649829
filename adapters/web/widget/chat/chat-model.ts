import type { ChatClient } from "../../client/chat-client.ts";
import type { ChatListener, ChatStatus } from "../../client/chat-listener.ts";
import type { Outgoing, OutgoingFrame, OutgoingQueue } from "../../client/outgoing-queue.ts";
import { type Entry, keyOf, type Shown, Transcript } from "../../client/transcript.ts";
import type { ErrorCode, ServerFrame } from "../../protocol.ts";
import { isMessage, STOP, shownEntries } from "./shown-entries.ts";

export interface ChatModelEvents {
  changed(): void;
  /** A message has arrived just now, whole. */
  arrived(item: Shown): void;
  welcomed(conversation: string, last: number): void;
}

/** What is before the oldest entry that is shown. */
export type Before = "unknown" | "more" | "loading" | "nothing" | "expired";

/** The conversation as one sees it, and what one can do in it. It knows no page and draws nothing. */
export class ChatModel implements ChatListener {
  readonly transcript = new Transcript();
  readonly #queue: OutgoingQueue;
  readonly #events: ChatModelEvents;
  readonly #newId: () => string;
  readonly #client: () => ChatClient;
  status: ChatStatus = "connecting";
  refusal: ErrorCode | undefined;
  /** The gateway stores what it is sent, as far as is known. */
  isStorable = true;
  agent = "";
  before: Before = "unknown";
  limits = { textLength: 32_000, fileBytes: 20_000_000 };
  #clockOffsetMs = 0;
  #typingUntil = 0;
  #shown: readonly Entry[] = [];
  #shownOf: readonly Entry[] | undefined;

  constructor(client: () => ChatClient, queue: OutgoingQueue, newId: () => string, events: ChatModelEvents) {
    this.#client = client;
    this.#queue = queue;
    this.#newId = newId;
    this.#events = events;
  }

  get entries(): readonly Entry[] {
    const { entries } = this.transcript;
    if (this.#shownOf !== entries) this.#shown = shownEntries(entries);
    this.#shownOf = entries;
    return this.#shown;
  }

  /** What was said here and is not in the log yet. */
  get outgoing(): readonly Outgoing[] {
    return this.#queue.all.filter(({ frame }) => this.transcript.find(`said:${frame.id}`) === undefined);
  }

  get isWaiting(): boolean {
    return waitingFor(this.transcript, this.now()) !== undefined;
  }

  /** The text that is being written, if any of it is here. */
  get draft(): string {
    return [...this.transcript.drafts.values()].map(({ text }) => text).join("\n\n");
  }

  get isTyping(): boolean {
    return this.draft === "" && (this.isWaiting || this.#typingUntil > this.now());
  }

  /** By the gateway's clock. */
  now(): number {
    return Date.now() + this.#clockOffsetMs;
  }

  say(text: string, more: { replyTo?: string | undefined; attachments?: Outgoing["attachments"] } = {}): void {
    const { replyTo, attachments = [] } = more;
    const frame: OutgoingFrame = {
      type: "message",
      id: this.#newId(),
      text,
      ...(replyTo !== undefined && { replyTo }),
      ...(attachments.length > 0 && { attachments: attachments.map(({ id }) => ({ id })) }),
    };
    this.#client().submit({ frame, ...(attachments.length > 0 && { attachments }) });
  }

  command(name: string, args: string): void {
    this.#client().submit({ frame: { type: "command", id: this.#newId(), name, args } });
  }

  stopAnswer(): void {
    this.command(STOP.name, STOP.args);
  }

  retry(id: string): void {
    this.#client().retry(id);
  }

  discard(id: string): void {
    this.#client().discard(id);
  }

  startOver(): void {
    this.#queue.clear();
    this.#client().startOver();
  }

  loadOlder(): void {
    if (this.before !== "more") return;
    this.before = "loading";
    this.#client().askForHistory(this.transcript.oldest ?? 1);
    this.#events.changed();
  }

  /** Whether an entry of that time is here, or on an older page. */
  mayFind(key: string, at: string): boolean {
    if (this.transcript.find(key) !== undefined) return true;
    const [oldest] = this.transcript.entries;
    return (this.before === "more" || this.before === "loading") && oldest !== undefined && oldest.item.createdAt > at;
  }

  /** The name of delegated work, as people know it. */
  nameOfWork(id: string): string | undefined {
    for (const { item } of this.transcript.entries) {
      const found = item.type === "said" ? undefined : item.activity?.items.find((work) => work.id === id);
      if (found) return found.name;
    }
    return undefined;
  }

  /** What is said now waits longer than a moment. */
  get isHeld(): boolean {
    return !this.isStorable || this.status === "away" || this.status === "full";
  }

  statusChanged(status: ChatStatus, reason?: ErrorCode): void {
    this.status = status;
    // Another connection may lead to another gateway, which tells it again.
    if (status !== "open") this.isStorable = true;
    this.refusal = reason;
    this.#events.changed();
  }

  queueChanged(): void {
    this.#events.changed();
  }

  cleared(): void {
    this.transcript.clear();
    this.before = "unknown";
    this.#events.changed();
  }

  frame(frame: ServerFrame): void {
    if (frame.type === "welcome") this.#welcome(frame);
    else if (frame.type === "said" || frame.type === "edit") this.transcript.add(frame);
    else if (frame.type === "reply") this.#reply(frame);
    else if (frame.type === "delta") this.transcript.addDelta(frame);
    else if (frame.type === "typing") this.#typing();
    else if (frame.type === "storage") this.isStorable = frame.available;
    else if (frame.type === "gap") this.before = "expired";
    else if (frame.type === "history") {
      this.transcript.add(...frame.items);
      this.before = frame.before === null ? "nothing" : "more";
    }
    this.#events.changed();
  }

  #welcome({ agent, conversation, seq, now, limits }: Extract<ServerFrame, { type: "welcome" }>): void {
    this.agent = agent;
    if (limits) this.limits = limits;
    const offsetMs = now === undefined ? 0 : Date.parse(now) - Date.now();
    this.#clockOffsetMs = Math.abs(offsetMs) > ON_ITS_WAY_MS ? offsetMs : 0;
    this.#events.welcomed(conversation, seq);
  }

  #reply(item: Shown): void {
    this.#typingUntil = 0;
    const isNew = this.transcript.find(keyOf(item)) === undefined;
    this.transcript.add(item);
    const entry = this.transcript.find(keyOf(item));
    if (isNew && entry && isMessage(entry) && this.entries.includes(entry)) this.#events.arrived(item);
  }

  #typing(): void {
    this.#typingUntil = this.now() + TYPING_MS;
    setTimeout(() => this.#events.changed(), TYPING_MS + 50);
  }
}

const TYPING_MS = 8_000;
/** A clock that differs by less is right: the frame was on its way meanwhile. */
const ON_ITS_WAY_MS = 60_000;

/** The longest that an answer is worked on; who waits longer waits in vain. */
const LONGEST_MS = 15 * 60_000;

/** The message that an answer is being written to now, if there is one. */
const waitingFor = (transcript: Transcript, now: number): string | undefined => {
  const { entries } = transcript;
  for (let at = entries.length - 1; at >= 0; at--) {
    const { item } = entries[at] as Entry;
    if (now - Date.parse(item.createdAt) > LONGEST_MS) return undefined;
    if (item.type !== "said" || item.command !== undefined) continue;
    return transcript.hasAnswered(item.id) ? undefined : item.id;
  }
  return undefined;
};
