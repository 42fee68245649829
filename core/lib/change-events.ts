import type { AgentRef } from "../contract/messages/addresses.ts";
import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Bus, Listener } from "../contract/ports/bus.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Subject } from "../contract/ports/subject.ts";
import { raceAbort } from "./abort.ts";

/** Watchers of records in this process. Signals may be lost, so a watcher also polls. */
export class ChangeEvents<T extends { readonly id: string }> {
  readonly #watchers = new Map<string, Set<(record: T) => void>>();
  readonly #listeners: Listener[] = [];

  async listenTo(bus: Bus, subject: Subject<T>): Promise<void> {
    this.#listeners.push(await bus.listen(subject, (record) => this.#changed(record)));
  }

  /** The result ends the watch. */
  watch(ids: readonly string[], changed: (record: T) => void): () => void {
    for (const id of ids) this.#watchers.set(id, (this.#watchers.get(id) ?? new Set()).add(changed));
    return () => {
      for (const id of ids) {
        const watching = this.#watchers.get(id);
        watching?.delete(changed);
        if (watching?.size === 0) this.#watchers.delete(id);
      }
    };
  }

  close(): void {
    for (const listener of this.#listeners) listener.close();
  }

  #changed(record: T): void {
    for (const changed of [...(this.#watchers.get(record.id) ?? [])]) changed(record);
  }
}

/** Signals may be lost, so the records are also polled. */
const POLL_MS = 3_000;

interface ChangeWait<T> {
  readonly clock: Clock;
  readonly events: Pick<ChangeEvents<{ readonly id: string }>, "watch">;
  readonly ids: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  read(): Promise<T>;
  /** Called with every value that was read. */
  isDone(value: T): boolean;
}

/** Resolves to the first value that is done, or to the last one read before the timeout. Rejects if aborted. */
export const waitForChange = async <T>(wait: ChangeWait<T>): Promise<T> => {
  const { clock, timeoutMs, signal } = wait;
  const until = clock.monotonic() + timeoutMs;
  for (;;) {
    const changed = nextChange(wait);
    try {
      const value = await wait.read();
      const leftMs = until - clock.monotonic();
      if (leftMs <= 0 || wait.isDone(value)) return value;
      changed.orAfter(Math.min(leftMs, POLL_MS));
      await raceAbort(changed.promise, signal);
    } finally {
      changed.cancel();
    }
  }
};

/** Watches before the read, so that no change between read and watch is missed. */
const nextChange = ({ events, clock, ids }: Pick<ChangeWait<unknown>, "events" | "clock" | "ids">) => {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const unwatch = events.watch(ids, resolve);
  let timer = { cancel() {} };
  return {
    promise,
    orAfter(ms: number) {
      timer = clock.after(ms, resolve);
    },
    cancel() {
      timer.cancel();
      unwatch();
    },
  };
};

/** Announces a stored change of a piece of work; consoles that show its trace read it again. */
export const signalProgress = (bus: Bus, { tenant, agent, traceId }: AgentRef & { readonly traceId: string }): void =>
  bus.signal(subjectsOf(tenant).traceChanged(agent), { traceId });
