/** Anonymous senders may use this part, so that they take nothing from identified ones (R3). */
const ANONYMOUS_SHARE = 0.75;

/** A number of requests that may be in progress at once. */
export class Places {
  readonly #limit: number;
  #taken = 0;
  #takenByAnonymous = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The returned function frees the place; idempotent. Undefined: no place is free. */
  take(isAnonymous: boolean): (() => void) | undefined {
    const anonymousLimit = Math.max(1, Math.floor(this.#limit * ANONYMOUS_SHARE));
    if (this.#taken >= this.#limit || (isAnonymous && this.#takenByAnonymous >= anonymousLimit)) return undefined;
    const change = (by: number) => {
      this.#taken += by;
      if (isAnonymous) this.#takenByAnonymous += by;
    };
    change(1);
    let isTaken = true;
    return () => {
      if (isTaken) change(-1);
      isTaken = false;
    };
  }

  get isEmpty(): boolean {
    return this.#taken === 0;
  }
}
