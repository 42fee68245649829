import { plainFragment } from "./plain-fragment.ts";

/** Longer text is shown unformatted, because parsing it would block the page. */
export const MAX_MARKDOWN_CHARS = 100_000;

/**
 * Renders markdown once its script is loaded, and plain text until then. The script is as large as the rest of the
 * widget, so pages whose chat stays closed do not load it.
 */
export class Formatter {
  readonly #script: string;
  readonly #loaded: () => void;
  #isRequested = false;

  constructor(script: string, loaded: () => void) {
    this.#script = script;
    this.#loaded = loaded;
  }

  get isReady(): boolean {
    return window.mooringMarkdown !== undefined;
  }

  load(): void {
    if (this.#isRequested || this.isReady) return;
    this.#isRequested = true;
    const script = document.createElement("script");
    script.src = this.#script;
    script.async = true;
    script.onload = () => {
      script.remove();
      this.#loaded();
    };
    script.onerror = () => {
      script.remove();
      this.#isRequested = false;
    };
    document.head.append(script);
  }

  render(markdown: string): DocumentFragment {
    const render = markdown.length > MAX_MARKDOWN_CHARS ? undefined : window.mooringMarkdown;
    return render ? render(markdown) : plainFragment(markdown);
  }
}
