import type { Clock, Timer } from "../../core/contract/clock.ts";
import type { BotToken } from "./bot-token.ts";

const CHECK_EVERY_MS = 30_000;

/**
 * Signs in at start and again while the last attempt has failed, so that health knows about a wrong secret before the
 * first delivery, and about its repair without one. Messages are taken meanwhile.
 */
export class SignInCheck {
  readonly #token: Pick<BotToken, "get" | "problem">;
  readonly #clock: Clock;
  #timer: Timer | undefined;

  constructor(token: Pick<BotToken, "get" | "problem">, clock: Clock) {
    this.#token = token;
    this.#clock = clock;
  }

  start(): void {
    // The failure stays in `problem`.
    this.#token.get().catch(() => undefined);
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#clock.after(CHECK_EVERY_MS, () => {
      if (this.#token.problem !== undefined) this.#token.get().catch(() => undefined);
      this.#arm();
    });
  }
}
