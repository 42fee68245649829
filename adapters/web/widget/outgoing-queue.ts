import type { Command, Message } from "../protocol.ts";
import type { KeptValues } from "./kept-values.ts";

export type Outgoing = Message | Command;

/** What the person has written and the gateway has not accepted yet, in order. It survives a reload of the page. */
export class OutgoingQueue {
  readonly #kept: KeptValues;
  readonly #waiting: Outgoing[];

  constructor(kept: KeptValues) {
    this.#kept = kept;
    this.#waiting = read(kept.get("outgoing"));
  }

  get all(): readonly Outgoing[] {
    return this.#waiting;
  }

  get first(): Outgoing | undefined {
    return this.#waiting[0];
  }

  add(frame: Outgoing): void {
    this.#waiting.push(frame);
    this.#keep();
  }

  /** True if it was waiting. */
  remove(id: string): boolean {
    const at = this.#waiting.findIndex((frame) => frame.id === id);
    if (at === -1) return false;
    this.#waiting.splice(at, 1);
    this.#keep();
    return true;
  }

  #keep(): void {
    this.#kept.set("outgoing", this.#waiting.length ? JSON.stringify(this.#waiting) : undefined);
  }
}

const read = (kept: string | undefined): Outgoing[] => {
  try {
    const value: unknown = JSON.parse(kept ?? "[]");
    return Array.isArray(value) ? (value as Outgoing[]).filter((frame) => typeof frame?.id === "string") : [];
  } catch {
    return [];
  }
};
