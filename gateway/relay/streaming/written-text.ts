import type { UserSignal } from "../../../core/contract/user-signal.ts";

export type Delta = Extract<UserSignal, { type: "delta" }>;

/** More than any first message can hold. */
const MOST_CHARS = 20_000;

/** An answer as far as it has been heard. Where a signal was lost it stops growing, until the text is begun anew. */
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
    if (offset !== this.#text.length || offset > MOST_CHARS) return false;
    this.#text += text;
    return true;
  }
}
