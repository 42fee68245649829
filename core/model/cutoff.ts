import type { Clock, Timer } from "../contract/clock.ts";
import type { ModelTimeouts } from "./hosted-config.ts";
import { ModelFailed } from "./model-failed.ts";

/** Ends a step early: a deadline or the caller's signal, whichever comes first. */
export class Cutoff {
  /** Aborts what is under way. */
  readonly signal: AbortSignal;
  /** Rejects when the step is cut, so that nobody depends on how fast an abort is obeyed. */
  readonly cut: Promise<never>;
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #timeouts: ModelTimeouts;
  readonly #total: Timer;
  readonly #release: () => void;
  #silence: Timer;
  #reject: (failure: ModelFailed) => void = () => {};
  #failure: ModelFailed | undefined;

  constructor(clock: Clock, timeouts: ModelTimeouts, caller: AbortSignal) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.signal = this.#controller.signal;
    this.cut = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.cut.catch(() => {});
    const { firstTokenMs, totalMs } = timeouts;
    this.#silence = clock.after(firstTokenMs, () =>
      this.#end(new ModelFailed("timeout", `the model sent no token within ${firstTokenMs} ms`)),
    );
    this.#total = clock.after(totalMs, () =>
      this.#end(new ModelFailed("timeout", `the model was not done after ${totalMs} ms`)),
    );
    const onCancel = () => this.#end(new ModelFailed("cancelled", "the step was cancelled"));
    caller.addEventListener("abort", onCancel, { once: true });
    this.#release = () => caller.removeEventListener("abort", onCancel);
    if (caller.aborted) onCancel();
  }

  /** Why the step was cut, if it was. */
  get failure(): ModelFailed | undefined {
    return this.#failure;
  }

  /** The model showed that it is at work: the next token has its own deadline. */
  heard(): void {
    if (this.signal.aborted) return;
    const { idleMs } = this.#timeouts;
    this.#silence.cancel();
    this.#silence = this.#clock.after(idleMs, () =>
      this.#end(new ModelFailed("timeout", `the model stopped sending for ${idleMs} ms in mid-answer`)),
    );
  }

  /** The step is over. Whatever is still open, a connection for one, is closed. */
  dispose(): void {
    this.#silence.cancel();
    this.#total.cancel();
    this.#release();
    this.#controller.abort();
  }

  #end(failure: ModelFailed): void {
    this.#failure ??= failure;
    this.#reject(this.#failure);
    this.dispose();
  }
}
