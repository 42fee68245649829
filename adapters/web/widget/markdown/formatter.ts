import { plainFragment } from "./plain-fragment.ts";

/** Longer than this is shown as it was written: to take it apart would hold up the page. */
export const LONGEST_MARKDOWN = 100_000;

/**
 * Draws markdown once what it takes is loaded, and until then text as it was written. It is as large as all the rest,
 * and a page on which nobody opens the chat never loads it.
 */
export class Formatter {
  readonly #script: string;
  readonly #loaded: () => void;
  #isAsked = false;

  constructor(script: string, loaded: () => void) {
    this.#script = script;
    this.#loaded = loaded;
  }

  get isReady(): boolean {
    return window.mooringMarkdown !== undefined;
  }

  load(): void {
    if (this.#isAsked || this.isReady) return;
    this.#isAsked = true;
    const script = document.createElement("script");
    script.src = this.#script;
    script.async = true;
    script.onload = () => {
      script.remove();
      this.#loaded();
    };
    script.onerror = () => {
      script.remove();
      this.#isAsked = false;
    };
    document.head.append(script);
  }

  render(markdown: string): DocumentFragment {
    const render = markdown.length > LONGEST_MARKDOWN ? undefined : window.mooringMarkdown;
    return render ? render(markdown) : plainFragment(markdown);
  }
}
