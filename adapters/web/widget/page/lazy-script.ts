/** A script of the gateway that is loaded on demand and leaves its result in a global. */
export class LazyScript {
  readonly #url: string;
  readonly #loaded: () => void;
  #isRequested = false;

  constructor(url: string, loaded: () => void) {
    this.#url = url;
    this.#loaded = loaded;
  }

  /** Loads it once; a failed load is repeated by the next call. */
  load(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    const script = document.createElement("script");
    script.src = this.#url;
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
}
