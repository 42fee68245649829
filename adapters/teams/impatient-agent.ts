import { Agent } from "node:https";
import type { Clock } from "../../core/contract/clock.ts";
import { NO_CONNECTION } from "./was-never-sent.ts";

const CONNECTED_WITHIN_MS = 5_000;
/** Below what servers keep idle connections for: a request on one that was just closed would have an unknown outcome. */
const IDLE_FOR_MS = 4_000;

type Connect = Agent["createConnection"];

/**
 * Makes connections, and ends those that are not there in good time. A call that is cut off later may have been heard;
 * one that had no connection yet has certainly not been.
 */
export class ImpatientAgent extends Agent {
  readonly #clock: Pick<Clock, "after">;

  constructor(clock: Pick<Clock, "after">) {
    super({ keepAlive: true, timeout: IDLE_FOR_MS });
    this.#clock = clock;
  }

  override createConnection(...[options, callback]: Parameters<Connect>): ReturnType<Connect> {
    const socket = super.createConnection(options, callback);
    const timer = this.#clock.after(CONNECTED_WITHIN_MS, () => socket?.destroy(new NotConnected()));
    for (const event of ["secureConnect", "close"]) socket?.once(event, () => timer.cancel());
    return socket;
  }
}

class NotConnected extends Error {
  readonly code = NO_CONNECTION;

  constructor() {
    super(`no connection within ${CONNECTED_WITHIN_MS} ms`);
  }
}
