import { taskKey } from "../../core/a2a/inbound/index.ts";
import type { Backbone } from "../../core/contract/backbone.ts";
import type { Listener } from "../../core/contract/bus.ts";
import type { Clock, Timer } from "../../core/contract/clock.ts";
import { INBOUND_CHANNEL, type InboundTaskAddress } from "../../core/contract/inbound-task.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import type { UserSignal } from "../../core/contract/user-signal.ts";
import { type Delta, TaskWatcher } from "./task-watcher.ts";

/** Signals may be lost: every task that somebody waits for is looked at this often, and after an outage. */
const LOOK_EVERY_MS = 15_000;
const OUTAGE_CHECK_MS = 100;

/** Tells those who wait on this gateway that their task has changed. The store knows how. */
export class TaskWatch {
  readonly #backbone: Backbone;
  readonly #clock: Clock;
  readonly #watchers = new Map<string, Set<TaskWatcher>>();
  readonly #listeners: Listener[] = [];
  #timer: Timer | undefined;
  #wasOk = true;
  #lastLook = 0;

  constructor({ backbone, clock }: { backbone: Backbone; clock: Clock }) {
    this.#backbone = backbone;
    this.#clock = clock;
  }

  async listenTo({ tenant, agent }: Pick<InboundTaskAddress, "tenant" | "agent">): Promise<void> {
    const { bus } = this.#backbone;
    const subjects = subjectsOf(tenant);
    this.#listeners.push(
      await bus.listen(subjects.a2aTaskChanged(agent), (address) => {
        for (const watcher of this.#of(address)) watcher.poke();
      }),
      await bus.listen(subjects.userSignal(agent), (signal) => this.#heard({ tenant, agent }, signal)),
    );
  }

  /** From now on nothing about the task is missed, until the watcher is closed. */
  follow(address: InboundTaskAddress): TaskWatcher {
    const { spelled } = taskKey(address);
    const watchers = this.#watchers.get(spelled) ?? new Set();
    const watcher = new TaskWatcher(() => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(spelled) === watchers) this.#watchers.delete(spelled);
    });
    this.#watchers.set(spelled, watchers.add(watcher));
    this.#timer ??= this.#clock.after(OUTAGE_CHECK_MS, () => this.#look());
    return watcher;
  }

  close(): void {
    this.#timer?.cancel();
    for (const listener of this.#listeners) listener.close();
    for (const watchers of [...this.#watchers.values()]) for (const watcher of [...watchers]) watcher.close();
  }

  #of(address: InboundTaskAddress): readonly TaskWatcher[] {
    return [...(this.#watchers.get(taskKey(address).spelled) ?? [])];
  }

  #heard(place: Pick<InboundTaskAddress, "tenant" | "agent">, signal: UserSignal): void {
    if (signal.type !== "delta" || signal.conversation.channel !== INBOUND_CHANNEL) return;
    const { attempt, offset, text, correlationId: id, conversation } = signal;
    const delta: Delta = { attempt, offset, text };
    for (const watcher of this.#of({ ...place, caller: conversation.room, id })) watcher.add(delta);
  }

  #look(): void {
    const { ok } = this.#backbone.health();
    const isDue = this.#clock.monotonic() - this.#lastLook >= LOOK_EVERY_MS;
    if (isDue || (ok && !this.#wasOk)) {
      this.#lastLook = this.#clock.monotonic();
      for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher.poke();
    }
    this.#wasOk = ok;
    this.#timer = this.#watchers.size === 0 ? undefined : this.#clock.after(OUTAGE_CHECK_MS, () => this.#look());
  }
}
