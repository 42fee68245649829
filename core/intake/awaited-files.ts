import { BoundedCache } from "../contract/bounded-cache.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import { subjectsOf } from "../contract/messages/subjects.ts";
import type { PersonMessage } from "../contract/messages/user-message.ts";
import type { Bus, Wait } from "../contract/ports/bus.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Store } from "../contract/ports/store.ts";
import { findReceived } from "../files/received/index.ts";
import { ChangeEvents } from "../lib/index.ts";

/** Then the turn begins without the files that are missing. A process that has just started waits as long again. */
const MAX_WAIT_MS = 90_000;
/** Signals may be lost, so the records are also polled. */
const POLL_MS = 1_000;
const MAX_WAITS = 10_000;

interface AwaitedFilesDeps {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
}

/** Messages whose files a gateway is still fetching. They wait in the queue and take no place of another turn. */
export class AwaitedFiles {
  readonly #deps: AwaitedFilesDeps;
  readonly #events = new ChangeEvents<{ readonly id: string }>();
  readonly #since = new BoundedCache<string, number>(MAX_WAITS);

  constructor(deps: AwaitedFilesDeps) {
    this.#deps = deps;
  }

  listenTo({ tenant, agent }: AgentRef): Promise<void> {
    return this.#events.listenTo(this.#deps.bus, subjectsOf(tenant).fileReceived(agent));
  }

  close(): void {
    this.#events.close();
  }

  /** Undefined: all files have arrived, or the message has waited long enough. */
  async waitFor(message: PersonMessage): Promise<Wait | undefined> {
    const ids = message.attachments.flatMap(({ file }) => file ?? []);
    const now = this.#deps.clock.monotonic();
    const since = this.#since.get(message.id) ?? now;
    if (now - since >= MAX_WAIT_MS || (await this.#haveArrived(ids))) {
      this.#since.delete(message.id);
      return undefined;
    }
    this.#since.set(message.id, since);
    return {
      wokenBy: (wake) => {
        const end = this.#events.watch(ids, wake);
        // A file may have arrived before the watch began.
        void this.#haveArrived(ids).then(
          (arrived) => arrived && wake(),
          () => undefined,
        );
        return end;
      },
      atMostMs: POLL_MS,
    };
  }

  async #haveArrived(ids: readonly string[]): Promise<boolean> {
    const files = await Promise.all(ids.map((id) => findReceived(this.#deps.store, id)));
    return files.every((file) => file !== undefined && file.state !== "fetched");
  }
}
