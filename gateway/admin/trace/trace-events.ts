import type { Bus } from "../../../core/contract/bus.ts";
import type { Clock } from "../../../core/contract/clock.ts";
import type { Store } from "../../../core/contract/store.ts";
import { subjectsOf } from "../../../core/contract/subjects.ts";
import type { ManagedAgent } from "../managed-resources.ts";
import type { FoundTurn } from "./find-message.ts";
import { readTrace } from "./read-trace.ts";

/** Signals may be lost, so the trace is also read at this interval. Proxies close a stream that is silent for a minute. */
const LOOK_EVERY_MS = 15_000;
/** Combines changes that come together into one read. */
const GATHER_MS = 150;

interface TraceWatch {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly place: ManagedAgent;
  readonly root: FoundTurn;
  /** Agents that the work may have been passed to, with that of the place. */
  readonly agents: readonly string[];
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A trace as server-sent events: the whole of it at once, and again whenever it has changed. */
export async function* traceEvents(watch: TraceWatch): AsyncGenerator<string> {
  const { store, clock, place, root, signal } = watch;
  const bell = new ChangeBell();
  signal.addEventListener("abort", () => bell.ring());
  const listeners = await listen(watch, bell);
  let known = "";
  try {
    while (!signal.aborted) {
      const json = JSON.stringify(await readTrace(store, place, root));
      yield json === known ? ": still here\n\n" : `event: trace\ndata: ${json}\n\n`;
      known = json;
      await bell.heard(clock, LOOK_EVERY_MS);
      if (!signal.aborted) await new Promise<void>((resolve) => clock.after(GATHER_MS, resolve));
    }
  } finally {
    for (const listener of listeners) listener.close();
  }
}

const listen = ({ bus, place: { tenant }, root, agents }: TraceWatch, bell: ChangeBell) => {
  const subjects = subjectsOf(tenant);
  const heard = ({ traceId }: { readonly traceId: string }) => {
    if (traceId === root.record.traceId) bell.ring();
  };
  return Promise.all(
    agents.flatMap((agent) => [
      bus.listen(subjects.traceChanged(agent), heard),
      bus.listen(subjects.subtaskNews(agent), heard),
      // The signal carries no trace id; a superfluous read does no harm.
      bus.listen(subjects.peerCallChanged(agent), () => bell.ring()),
    ]),
  );
};

/** Wakes the reader after a possible change; changes in between are combined. */
class ChangeBell {
  #isRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Resolves after a change since the last call, or after the timeout. */
  async heard(clock: Clock, withinMs: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer = clock.after(withinMs, resolve);
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#isRung = false;
  }
}
