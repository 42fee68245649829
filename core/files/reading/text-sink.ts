/** Collects text up to a limit. */
export class TextSink {
  readonly #maxChars: number;
  #pieces: string[] = [];
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get isFull(): boolean {
    return this.#chars >= this.#maxChars;
  }

  add(text: string): void {
    if (this.isFull) return;
    const fitting = text.slice(0, this.#maxChars - this.#chars);
    this.#pieces.push(fitting);
    this.#chars += fitting.length;
  }

  get text(): string {
    return this.#pieces.join("");
  }
}

/** Without spaces at the ends of lines and without more than one empty line. */
export const tidy = (text: string): string =>
  text
    .replace(/[^\S\n\t]+/g, " ")
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
