import { AppError } from "../../core/contract/app-error.ts";
import type { Bus, Listener } from "../../core/contract/bus.ts";
import type { Clock } from "../../core/contract/clock.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import { TELL_LOAD_EVERY_MS } from "../../core/intake/index.ts";

export interface CrowdParts {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly tenant: string;
  readonly agent: string;
  readonly maxWaiting: number;
}

/** A process that has not spoken for this long has nothing waiting, or is gone. */
const BELIEVED_MS = 2.5 * TELL_LOAD_EVERY_MS;

/** Knows how many messages wait for an agent in all core processes, and refuses more when it is too many. */
export class CrowdCheck {
  readonly #parts: CrowdParts;
  readonly #heard = new Map<string, { readonly waiting: number; readonly at: number }>();
  #listener: Listener | undefined;

  constructor(parts: CrowdParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { bus, clock, tenant, agent } = this.#parts;
    this.#listener = await bus.listen(subjectsOf(tenant).intakeLoad(agent), ({ process, waiting }) => {
      this.#heard.set(process, { waiting, at: clock.monotonic() });
    });
  }

  stop(): void {
    this.#listener?.close();
  }

  /** Throws "rate-limited": adapters then tell the person, and the platform does not send it again. */
  refuseIfCrowded(): void {
    const now = this.#parts.clock.monotonic();
    let waiting = 0;
    for (const [process, heard] of this.#heard) {
      if (now - heard.at > BELIEVED_MS) this.#heard.delete(process);
      else waiting += heard.waiting;
    }
    if (waiting < this.#parts.maxWaiting) return;
    throw new AppError("rate-limited", "too many messages wait for an answer already: send this again in a while");
  }
}
