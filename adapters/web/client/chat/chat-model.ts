import type { ErrorCode, ServerFrame } from "../../protocol.ts";
import type { ChatClient } from "../chat-client.ts";
import type { ChatListener, ChatStatus } from "../chat-listener.ts";
import type { Outgoing, OutgoingFrame, OutgoingQueue } from "../outgoing-queue.ts";
import { type Entry, keyOf, type Shown, Transcript } from "../transcript.ts";
import { FEEDBACK, isMessage, type Rating, ratingsIn, STOP, shownEntries } from "./shown-entries.ts";
import { type EarlierVersion, VersionedLog } from "./versions.ts";

export interface SendOptions {
  readonly replyTo?: string | undefined;
  /** The message that this one replaces. */
  readonly revises?: string | undefined;
  readonly attachments?: Outgoing["attachments"] | undefined;
}

export interface ChatModelEvents {
  changed(): void;
  /** A new, complete message has arrived. */
  arrived(item: Shown): void;
  welcomed(visitor: string, thread: string | undefined, last: number): void;
  /** The list of conversations has changed. */
  changedElsewhere(): void;
  /** Another log is shown. */
  cleared(): void;
}

/** State of the history before the oldest loaded entry. */
export type Before = "unknown" | "more" | "loading" | "nothing" | "expired";

/** View model of the conversation and its actions, independent of page and views. */
export class ChatModel implements ChatListener {
  readonly transcript = new Transcript();
  readonly #queue: OutgoingQueue;
  readonly #events: ChatModelEvents;
  readonly #newId: () => string;
  readonly #client: () => ChatClient;
  status: ChatStatus = "connecting";
  refusal: ErrorCode | undefined;
  /** False after the gateway has reported an outage. */
  isStorable = true;
  agent = "";
  /** The operator allows speech recognition. */
  mayUseVoice = false;
  before: Before = "unknown";
  limits = { textLength: 32_000, fileBytes: 20_000_000 };
  #clockOffsetMs = 0;
  #typingUntil = 0;
  #earlier: EarlierVersion | undefined;
  #shown = new VersionedLog([]);
  #shownOf: readonly Entry[] | undefined;

  constructor(client: () => ChatClient, queue: OutgoingQueue, newId: () => string, events: ChatModelEvents) {
    this.#client = client;
    this.#queue = queue;
    this.#newId = newId;
    this.#events = events;
  }

  get entries(): readonly Entry[] {
    return this.log.entries;
  }

  /** The visible entries, with the versions of revised messages. */
  get log(): VersionedLog {
    const { entries } = this.transcript;
    if (this.#shownOf !== entries) this.#shown = new VersionedLog(shownEntries(entries), this.#earlier);
    this.#shownOf = entries;
    return this.#shown;
  }

  /** Shows a version of a message; without one, the newest of all. */
  showVersion(id: string | undefined): void {
    this.#earlier = id === undefined ? undefined : { id };
    this.#shownOf = undefined;
    this.#events.changed();
  }

  /** Own messages that are not in the log yet. */
  get outgoing(): readonly Outgoing[] {
    const { conversation } = this.#client();
    return this.#queue.all.filter(
      ({ frame }) =>
        (frame.conversation ?? conversation) === conversation && this.transcript.find(`said:${frame.id}`) === undefined,
    );
  }

  get isWaiting(): boolean {
    return waitingFor(this.transcript, this.now()) !== undefined;
  }

  /** The text that streams in; empty if there is none. */
  get draft(): string {
    return [...this.transcript.drafts.values()].map(({ text }) => text).join("\n\n");
  }

  get isTyping(): boolean {
    return this.draft === "" && (this.isWaiting || this.#typingUntil > this.now());
  }

  /** The time of the gateway's clock, because the visitor's clock may be wrong. */
  now(): number {
    return Date.now() + this.#clockOffsetMs;
  }

  /** Returns the id of the message. */
  send(text: string, more: SendOptions = {}): string {
    const { replyTo, revises, attachments = [] } = more;
    this.showVersion(undefined);
    // The replaced answer would otherwise be awaited first.
    if (revises !== undefined && this.isWaiting) this.stopAnswer();
    const frame: OutgoingFrame = {
      type: "message",
      id: this.#newId(),
      text,
      ...(replyTo !== undefined && { replyTo }),
      ...(revises !== undefined && { revises }),
      ...(attachments.length > 0 && { attachments: attachments.map(({ id }) => ({ id })) }),
    };
    return this.#submit({ frame, ...(attachments.length > 0 && { attachments }) });
  }

  /** Requests another answer to a message; with a text, replaces the message. Returns the id of its new version. */
  revise(id: string, text?: string): string | undefined {
    const said = this.transcript.find(`said:${id}`)?.item;
    if (said?.type !== "said") return undefined;
    const { replyTo, attachments } = said;
    return this.send(text ?? said.text, { replyTo, attachments, revises: id });
  }

  command(name: string, args: string): string {
    return this.#submit({ frame: { type: "command", id: this.#newId(), name, args } });
  }

  #submit(item: Outgoing): string {
    this.#client().submit(item);
    return item.frame.id;
  }

  /** Rates a reply; the same rating again takes it back. */
  rate(id: string, rating: Rating, comment = ""): void {
    const isRepeat = comment === "" && this.ratings.get(id) === rating;
    this.command(FEEDBACK, `${isRepeat ? "none" : rating} ${id} ${comment}`.trim());
  }

  /** The ratings in the loaded part of the log, and those that wait to be sent. */
  get ratings(): ReadonlyMap<string, Rating> {
    return ratingsIn([
      ...this.transcript.entries.map(({ item }) => (item.type === "said" ? item.command : undefined)),
      ...this.outgoing.map(({ frame }) => (frame.type === "command" ? frame : undefined)),
    ]);
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
    this.#client().requestHistory(this.transcript.oldest ?? 1);
    this.#events.changed();
  }

  /** Whether an entry of that time is loaded, or may be on an older page. */
  mayFind(key: string, at: string): boolean {
    if (this.transcript.find(key) !== undefined) return true;
    const [oldest] = this.transcript.entries;
    return (this.before === "more" || this.before === "loading") && oldest !== undefined && oldest.item.createdAt > at;
  }

  /** The display name of delegated work. */
  nameOfWork(id: string): string | undefined {
    for (const { item } of this.transcript.entries) {
      const found = item.type === "said" ? undefined : item.activity?.items.find((work) => work.id === id);
      if (found) return found.name;
    }
    return undefined;
  }

  /** New messages cannot be sent now and wait in the queue. */
  get isHeld(): boolean {
    return !this.isStorable || this.status === "away" || this.status === "full";
  }

  statusChanged(status: ChatStatus, reason?: ErrorCode): void {
    this.status = status;
    // The next connection may lead to another gateway, which reports its own state.
    if (status !== "open") this.isStorable = true;
    this.refusal = reason;
    this.#events.changed();
  }

  queueChanged(): void {
    this.#events.changed();
  }

  cleared(): void {
    this.transcript.clear();
    this.#earlier = undefined;
    this.before = "unknown";
    this.#events.cleared();
    this.#events.changed();
  }

  frame(frame: ServerFrame): void {
    if (frame.type === "welcome") this.#welcome(frame);
    else if (frame.type === "said" || frame.type === "edit") this.transcript.add(frame);
    else if (frame.type === "reply") this.#reply(frame);
    else if (frame.type === "delta") this.transcript.addDelta(frame);
    else if (frame.type === "typing") this.#typing();
    else if (frame.type === "storage") this.isStorable = frame.available;
    else if (frame.type === "elsewhere") this.#events.changedElsewhere();
    else if (frame.type === "gap") this.before = "expired";
    else if (frame.type === "history") {
      this.transcript.add(...frame.items);
      this.before = frame.before === null ? "nothing" : "more";
    }
    this.#events.changed();
  }

  #welcome({ agent, conversation, thread, seq, now, limits, voice }: Extract<ServerFrame, { type: "welcome" }>): void {
    this.agent = agent;
    this.mayUseVoice = voice === true;
    if (limits) this.limits = limits;
    const offsetMs = now === undefined ? 0 : Date.parse(now) - Date.now();
    this.#clockOffsetMs = Math.abs(offsetMs) > MAX_TRANSIT_MS ? offsetMs : 0;
    this.#events.welcomed(conversation, thread, seq);
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
/** A smaller clock difference is ignored, because it includes the transit time of the frame. */
const MAX_TRANSIT_MS = 60_000;

/** The gateway gives no answer to messages older than this. */
const MAX_ANSWER_MS = 15 * 60_000;

/** The id of the latest message, if it still waits for an answer. */
const waitingFor = (transcript: Transcript, now: number): string | undefined => {
  const { entries } = transcript;
  for (let at = entries.length - 1; at >= 0; at--) {
    const { item } = entries[at] as Entry;
    if (now - Date.parse(item.createdAt) > MAX_ANSWER_MS) return undefined;
    if (item.type !== "said" || item.command !== undefined) continue;
    return transcript.hasAnswered(item.id) ? undefined : item.id;
  }
  return undefined;
};
