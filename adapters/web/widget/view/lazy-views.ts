import { LazyScript } from "../page/lazy-script.ts";

/** Views that most chats do not need, from `widget-more.js`. */
export class LazyViews {
  readonly #script: LazyScript;
  readonly #publishKit: () => void;

  /** `publishKit` offers the script the modules that it shares with this one. */
  constructor(script: string, publishKit: () => void, loaded: () => void) {
    this.#publishKit = publishKit;
    this.#script = new LazyScript(script, loaded);
  }

  /** Undefined until the script is loaded; the first call requests it. */
  get views(): Window["mooringMore"] {
    if (window.mooringMore === undefined) {
      this.#publishKit();
      this.#script.load();
    }
    return window.mooringMore;
  }
}
