import { LazyScript } from "../page/lazy-script.ts";
import { plainFragment } from "./plain-fragment.ts";

/** Longer text is shown unformatted, because parsing it would block the page. */
export const MAX_MARKDOWN_CHARS = 100_000;

/**
 * Renders markdown once its script is loaded, and plain text until then. The script is half as large as the rest of the
 * widget, so pages whose chat stays closed do not load it.
 */
export class Formatter {
  readonly #script: LazyScript;

  constructor(script: string, loaded: () => void) {
    this.#script = new LazyScript(script, loaded);
  }

  get isReady(): boolean {
    return window.mooringMarkdown !== undefined;
  }

  load(): void {
    if (!this.isReady) this.#script.load();
  }

  render(markdown: string): DocumentFragment {
    const script = markdown.length > MAX_MARKDOWN_CHARS ? undefined : window.mooringMarkdown;
    return script?.render(markdown) ?? plainFragment(markdown);
  }
}
