import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import type { Command, Message } from "../protocol.ts";
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

/** Messages that are not accepted yet, in order. The queue survives a reload of the page. */
export class OutgoingQueue {
  readonly #values: PersistentValues;
  #items: readonly Outgoing[];

  constructor(values: PersistentValues) {
    this.#values = values;
    this.#items = read(values.get("outgoing"));
  }

  get all(): readonly Outgoing[] {
    return this.#items;
  }

  /** The next message to send. */
  get first(): OutgoingFrame | undefined {
    return this.#items.find(({ failure }) => failure === undefined)?.frame;
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

  #set(items: readonly Outgoing[]): void {
    this.#items = items;
    this.#values.set("outgoing", items.length > 0 ? JSON.stringify(items) : undefined);
  }
}

const read = (stored: string | undefined): Outgoing[] => {
  try {
    const value: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(value) ? (value as Outgoing[]).filter((item) => typeof item?.frame?.id === "string") : [];
  } catch {
    return [];
  }
};
