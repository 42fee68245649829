import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import type { Command, Message } from "../protocol.ts";
import { MAIN_CONVERSATION, NEW_CONVERSATION, type StartedConversation } from "./conversation-requests.ts";
import type { PersistentValues } from "./persistent-values.ts";

export type OutgoingFrame = Message | Command;

/** A message that the gateway has not accepted yet. */
export interface Outgoing {
  readonly frame: OutgoingFrame;
  /** For display until the log has the message. */
  readonly attachments?: readonly Attachment[];
  /** Why sending failed; the person decides what happens next. */
  readonly failure?: string;
}

/** A queue as it is stored. */
export interface StoredQueue {
  /** The visitor whose messages they are; undefined if the gateway has not named one yet. */
  readonly visitor: string | undefined;
  readonly items: readonly Outgoing[];
}

/** Messages that are not accepted yet, in order. The queue survives a reload of the page. */
export class OutgoingQueue {
  readonly #values: PersistentValues;
  #items: readonly Outgoing[];
  #visitor: string | undefined;

  constructor(values: PersistentValues) {
    this.#values = values;
    ({ items: this.#items, visitor: this.#visitor } = readQueue(values.get("outgoing")));
  }

  /** The gateway has named the visitor. */
  belongsTo(visitor: string): void {
    if (visitor === this.#visitor) return;
    this.#visitor = visitor;
    this.#set(this.#items);
  }

  /** The messages that name no conversation belong to this one. */
  nameConversation(conversation: string): void {
    if (this.#items.length > 0)
      this.#set(this.#items.map((item) => ({ ...item, frame: { conversation, ...item.frame } })));
  }

  /** Whether a message waits for the start of its conversation. */
  get needsStart(): boolean {
    return this.#items.some(isForNew);
  }

  /** The gateway has started the new conversation, or refuses to. */
  started({ id, refusal }: StartedConversation): void {
    if (this.needsStart)
      this.#set(
        this.#items.map((item) =>
          isForNew(item)
            ? { ...item, frame: { ...item.frame, conversation: id }, ...(refusal && { failure: refusal }) }
            : item,
        ),
      );
  }

  get all(): readonly Outgoing[] {
    return this.#items;
  }

  /** The next message to send; its conversation has been started. */
  get first(): OutgoingFrame | undefined {
    return this.#items.find((item) => item.failure === undefined && !isForNew(item))?.frame;
  }

  add(item: Outgoing): void {
    this.#set([...this.#items, item]);
  }

  remove(id: string): void {
    if (this.#items.some(({ frame }) => frame.id === id)) this.#set(this.#items.filter(({ frame }) => frame.id !== id));
  }

  fail(id: string, failure: string): void {
    this.#set(this.#items.map((item) => (item.frame.id === id ? { ...item, failure } : item)));
  }

  /** Moves a failed message to the end of the queue. */
  retry(id: string): void {
    const item = this.#items.find(({ frame }) => frame.id === id);
    if (item === undefined) return;
    const { failure: _, ...again } = item;
    this.#set([...this.#items.filter((other) => other !== item), again]);
  }

  clear(): void {
    this.#set([]);
  }

  get #stored(): string {
    return JSON.stringify({ visitor: this.#visitor, items: this.#items });
  }

  #set(items: readonly Outgoing[]): void {
    this.#items = items;
    this.#values.set("outgoing", items.length > 0 ? this.#stored : undefined);
  }
}

const isForNew = ({ frame }: Outgoing): boolean => frame.conversation === NEW_CONVERSATION;

/** A message that names no conversation belongs to the main one. */
export const inMain = (items: readonly Outgoing[]): readonly Outgoing[] =>
  items.map((item) => ({ ...item, frame: { conversation: MAIN_CONVERSATION, ...item.frame } }));

/** Invalid text counts as an empty queue. */
export const readQueue = (stored: string | undefined): StoredQueue => {
  try {
    const { visitor, items }: Partial<StoredQueue> = JSON.parse(stored ?? "{}");
    return {
      visitor: typeof visitor === "string" ? visitor : undefined,
      items: Array.isArray(items) ? (items as Outgoing[]).filter((item) => typeof item?.frame?.id === "string") : [],
    };
  } catch {
    return { visitor: undefined, items: [] };
  }
};
