import type { AgentRef } from "../../../core/contract/messages/addresses.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Bus } from "../../../core/contract/ports/bus.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import type { Trace } from "../../admin-api/index.ts";
import type { FoundTurn } from "./find-message.ts";
import { readTrace } from "./read-trace.ts";

/** Signals may be lost, so the trace is also read at this interval. Proxies close a stream that is silent for a minute. */
const POLL_MS = 15_000;
/** One read for changes that follow each other closely. */
const DEBOUNCE_MS = 150;

interface TraceWatch {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly agentRef: AgentRef;
  readonly root: FoundTurn;
  /** All agents that the work may have reached. */
  readonly agents: readonly string[];
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Yields the whole trace at once, and again after each change; undefined if it has not changed for a while. */
export async function* traceEvents(watch: TraceWatch): AsyncGenerator<Trace | undefined> {
  const { store, clock, agentRef, root, signal } = watch;
  const changes = new ChangeSignal();
  signal.addEventListener("abort", () => changes.notify());
  const listeners = await listen(watch, changes);
  let known = "";
  try {
    while (!signal.aborted) {
      const trace = await readTrace(store, agentRef, root);
      const json = JSON.stringify(trace);
      yield json === known ? undefined : trace;
      known = json;
      await changes.next(clock, POLL_MS);
      if (!signal.aborted) await new Promise<void>((resolve) => clock.after(DEBOUNCE_MS, resolve));
    }
  } finally {
    for (const listener of listeners) listener.close();
  }
}

const listen = ({ bus, agentRef: { tenant }, root, agents }: TraceWatch, changes: ChangeSignal) => {
  const subjects = subjectsOf(tenant);
  const onSignal = ({ traceId }: { readonly traceId: string }) => {
    if (traceId === root.record.traceId) changes.notify();
  };
  return Promise.all(
    agents.flatMap((agent) => [
      bus.listen(subjects.traceChanged(agent), onSignal),
      bus.listen(subjects.subtaskUpdate(agent), onSignal),
      // The signal has no trace id; an unnecessary read is harmless.
      bus.listen(subjects.peerCallChanged(agent), () => changes.notify()),
    ]),
  );
};

/** Wakes the reader after a possible change; changes in between are combined. */
class ChangeSignal {
  #isRung = false;
  #wake: (() => void) | undefined;

  notify(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Resolves after a change since the last call, or after the timeout. */
  async next(clock: Clock, withinMs: number): Promise<void> {
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
