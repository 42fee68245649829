import type { Clock, Timer } from "../contract/clock.ts";

/** About 25 a second: as lively as an eye can tell, and no more. */
const PAUSE_MS = 40;

/** Text of one try as it comes, gathered into fewer and larger pieces. */
export class DeltaStream {
  readonly #clock: Clock;
  readonly #send: (offset: number, text: string) => void;
  #waiting = "";
  #sentChars = 0;
  #timer: Timer | undefined;
  #ended = false;

  constructor(clock: Clock, send: (offset: number, text: string) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  push(text: string): void {
    if (this.#ended) return;
    this.#waiting += text;
    if (this.#timer === undefined) this.#flush();
  }

  /** What still waits is dropped: the whole text is about to follow, or this try's text is void. */
  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#waiting === "") return;
    this.#send(this.#sentChars, this.#waiting);
    this.#sentChars += this.#waiting.length;
    this.#waiting = "";
    this.#timer = this.#clock.after(PAUSE_MS, () => this.#flush());
  }
}
