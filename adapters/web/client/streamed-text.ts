/** Text that comes in pieces, some of which may be lost, repeated or from a run that was begun again. */
export class StreamedText {
  #attempt = Number.NEGATIVE_INFINITY;
  #text = "";

  get text(): string {
    return this.#text;
  }

  /** True if the text has changed. A piece after a lost one is left out: the reply brings the whole. */
  add(delta: { attempt: number; offset: number; text: string }): boolean {
    if (delta.attempt < this.#attempt) return false;
    if (delta.attempt > this.#attempt) {
      this.#attempt = delta.attempt;
      this.#text = "";
    }
    if (delta.offset > this.#text.length) return false;
    const grown = this.#text.slice(0, delta.offset) + delta.text;
    if (grown.length <= this.#text.length) return false;
    this.#text = grown;
    return true;
  }
}
