import { messageOf } from "../contract/app-error.ts";
import type { Listener } from "../contract/bus.ts";
import type { Logger } from "../contract/logger.ts";
import type { Subject } from "../contract/subject.ts";
import { toJson } from "./to-json.ts";

interface Hearing {
  /** Gets a copy of its own, so that nobody shares what another may change. It never left the process: it is no input. */
  hear(json: string): Promise<void>;
  closed: boolean;
}

/** Signals within the process: never inside the call that sends them, in order, forgotten if nobody listens. */
export class LocalSignals {
  readonly #logger: Logger;
  readonly #listeners = new Map<string, Set<Hearing>>();
  #sent: { json: string; to: Hearing[] }[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  signal<T>(subject: Subject<T>, message: T): void {
    if (this.hears(subject)) this.pass(subject, signalJson(subject, message));
  }

  hears({ name }: Subject<unknown>): boolean {
    return this.#listeners.has(name);
  }

  pass({ name }: Subject<unknown>, json: string): void {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) return;
    if (this.#sent.length === 0) setImmediate(() => this.#deliver());
    this.#sent.push({ json, to: [...listeners] });
  }

  listen<T>(subject: Subject<T>, handle: (message: T) => void): Listener {
    const name = subject.name;
    const hearing: Hearing = { closed: false, hear: (json) => this.#hear(subject, handle, json) };
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(hearing));
    return {
      close: () => {
        hearing.closed = true;
        listeners.delete(hearing);
        if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
      },
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#sent = [];
  }

  #deliver(): void {
    const sent = this.#sent;
    this.#sent = [];
    for (const { json, to } of sent) for (const hearing of to) if (!hearing.closed) void hearing.hear(json);
  }

  /** Asynchronous only so that a listener that returns a promise cannot leave its rejection unhandled. */
  async #hear<T>(subject: Subject<T>, handle: (message: T) => void | Promise<void>, json: string): Promise<void> {
    try {
      await handle(JSON.parse(json) as T);
    } catch (error) {
      this.#logger.error({ subject: subject.name, error: messageOf(error) }, "a listener failed");
    }
  }
}

export const signalJson = <T>({ name }: Subject<T>, message: T): string =>
  toJson(message, `a signal on ${name}`, Number.MAX_SAFE_INTEGER);
