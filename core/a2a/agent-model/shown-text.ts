const MAX_NOTE_CHARS = 200;

/** The text of an answer while it is written: progress notes, then the growing text of the artifacts. */
export class ShownText {
  readonly #onText: (delta: string) => void;
  readonly #notes = new Set<string>();
  #shown = "";
  #isReplaced = false;

  constructor(onText: (delta: string) => void) {
    this.#onText = onText;
  }

  /** A status message of a task that still works. Notes are shown until the answer begins. */
  note(key: string, text: string): void {
    const line = text.replace(/[\s_*`]+/g, " ").trim();
    if (line === "" || this.#shown !== "" || this.#notes.has(key)) return;
    this.#notes.add(key);
    this.#onText(`_${line.slice(0, MAX_NOTE_CHARS)}_\n\n`);
  }

  /** All artifacts so far. If the agent replaces text that is shown already, the rest appears with the final answer. */
  grow(text: string): void {
    if (this.#isReplaced || text.length === this.#shown.length) return;
    if (!text.startsWith(this.#shown)) {
      this.#isReplaced = true;
      return;
    }
    this.#onText(text.slice(this.#shown.length));
    this.#shown = text;
  }
}
