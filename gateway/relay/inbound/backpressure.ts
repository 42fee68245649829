import type { AgentRef } from "../../../core/contract/agent-ref.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Bus, Listener } from "../../../core/contract/bus.ts";
import type { Clock } from "../../../core/contract/clock.ts";
import { subjectsOf } from "../../../core/contract/subjects.ts";
import { TELL_LOAD_EVERY_MS } from "../../../core/intake/index.ts";

interface BackpressureDeps extends AgentRef {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly maxWaiting: number;
}

/** A process that has reported no load for this long has an empty queue or has stopped. */
const LOAD_TTL_MS = 2.5 * TELL_LOAD_EVERY_MS;

/** Counts the messages that wait for an agent in all core processes, and refuses further ones above the limit. */
export class Backpressure {
  readonly #deps: BackpressureDeps;
  readonly #loads = new Map<string, { readonly waiting: number; readonly at: number }>();
  #listener: Listener | undefined;

  constructor(deps: BackpressureDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { bus, clock, tenant, agent } = this.#deps;
    this.#listener = await bus.listen(subjectsOf(tenant).intakeLoad(agent), ({ process, waiting }) => {
      this.#loads.set(process, { waiting, at: clock.monotonic() });
    });
  }

  stop(): void {
    this.#listener?.close();
  }

  /** Throws "rate-limited": the adapter then notifies the sender, and the platform does not redeliver. */
  readonly refuseIfCrowded = (): void => {
    const now = this.#deps.clock.monotonic();
    let waiting = 0;
    for (const [process, load] of this.#loads) {
      if (now - load.at > LOAD_TTL_MS) this.#loads.delete(process);
      else waiting += load.waiting;
    }
    if (waiting < this.#deps.maxWaiting) return;
    throw new AppError(
      "rate-limited",
      "too many messages are waiting for an answer: please send this again in a few minutes",
    );
  };
}
