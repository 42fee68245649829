import type { Clock } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import { maskSecrets } from "../../../lib/index.ts";

const MAX_LINE_CHARS = 500;
const MAX_LINES_PER_MINUTE = 100;
const MINUTE_MS = 60_000;

/** The standard error of a server: a bounded number of lines for the log, and the last one for error messages. */
export class ServerOutput {
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Hides the credentials of the server, which it may print. */
  readonly #hide: (text: string) => string;
  #unfinished = "";
  #lastLine = "";
  #minute = 0;
  #lines = 0;

  constructor(clock: Clock, logger: Logger, hide: (text: string) => string) {
    this.#clock = clock;
    this.#hide = hide;
    this.#logger = logger;
  }

  /** The last line that is not empty, as far as it tells an operator something. */
  get lastLine(): string {
    return this.#lastLine || this.#shown(this.#unfinished);
  }

  add(chunk: Buffer): void {
    const lines = `${this.#unfinished}${chunk.toString("utf8")}`.split("\n");
    this.#unfinished = (lines.pop() ?? "").slice(0, MAX_LINE_CHARS);
    for (const line of lines) if (line.trim() !== "") this.#line(line);
  }

  #line(line: string): void {
    const minute = Math.floor(this.#clock.monotonic() / MINUTE_MS);
    if (minute !== this.#minute) this.#lines = 0;
    this.#minute = minute;
    if (++this.#lines > MAX_LINES_PER_MINUTE) {
      if (this.#lines === MAX_LINES_PER_MINUTE + 1) this.#logger.debug({}, "more output of the server is dropped");
      return;
    }
    this.#lastLine = this.#shown(line);
    this.#logger.debug({ output: this.#lastLine }, "server output");
  }

  #shown(line: string): string {
    return maskSecrets(this.#hide(line.trim()).slice(0, MAX_LINE_CHARS));
  }
}
