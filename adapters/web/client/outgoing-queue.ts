import type { Attachment } from "../../../core/contract/user-message.ts";
import type { Command, Message } from "../protocol.ts";
import type { KeptValues } from "./persistent-values.ts";

export type OutgoingFrame = Message | Command;

/** Something the person has said and the gateway has not accepted yet. */
export interface Outgoing {
  readonly frame: OutgoingFrame;
  /** As the person knows them, until the log tells it. */
  readonly attachments?: readonly Attachment[];
  /** Why it was given up; it waits for the person now. */
  readonly failure?: string;
}

/** What was said and not accepted yet, in order. It survives a reload of the page. */
export class OutgoingQueue {
  readonly #kept: KeptValues;
  #items: readonly Outgoing[];

  constructor(kept: KeptValues) {
    this.#kept = kept;
    this.#items = read(kept.get("outgoing"));
  }

  get all(): readonly Outgoing[] {
    return this.#items;
  }

  /** What is to be sent next. */
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

  /** To be sent again, after what waits already. */
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
    this.#kept.set("outgoing", items.length > 0 ? JSON.stringify(items) : undefined);
  }
}

const read = (kept: string | undefined): Outgoing[] => {
  try {
    const value: unknown = JSON.parse(kept ?? "[]");
    return Array.isArray(value) ? (value as Outgoing[]).filter((item) => typeof item?.frame?.id === "string") : [];
  } catch {
    return [];
  }
};
