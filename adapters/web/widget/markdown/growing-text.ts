/** Drawing may take this part of the time, however long the text has become. */
const SHARE = 4;

/** Draws text that is still being written: once a frame at most, and less often the longer it takes. */
export class GrowingText {
  readonly #node: HTMLElement;
  readonly #render: (text: string) => Node;
  #text = "";
  #isDue = false;
  #restMs = 0;

  constructor(node: HTMLElement, render: (text: string) => Node) {
    this.#node = node;
    this.#render = render;
  }

  show(text: string): void {
    this.#text = text;
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => requestAnimationFrame(() => this.#draw()), this.#restMs);
  }

  #draw(): void {
    this.#isDue = false;
    const startedAt = performance.now();
    this.#node.replaceChildren(this.#render(this.#text));
    this.#restMs = (performance.now() - startedAt) * SHARE;
  }
}
