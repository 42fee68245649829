import { taskKey } from "../../../core/a2a/inbound/index.ts";
import { type AgentRef, INBOUND_CHANNEL, type InboundTaskAddress } from "../../../core/contract/messages/addresses.ts";
import type { UserSignal } from "../../../core/contract/messages/signals.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import type { Listener } from "../../../core/contract/ports/bus.ts";
import type { Clock, Timer } from "../../../core/contract/ports/clock.ts";

/** A piece of an answer while the model writes it. */
export interface Delta {
  /** Increases when the text restarts. */
  readonly attempt: number;
  readonly offset: number;
  readonly text: string;
}

/** A request that waits for changes of a task. */
export class TaskWatcher {
  readonly #closed: () => void;
  #deltas: Delta[] = [];
  #isPoked = false;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(closed: () => void) {
    this.#closed = closed;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  notify(): void {
    this.#isPoked = true;
    this.#wake?.();
  }

  add(delta: Delta): void {
    this.#deltas.push(delta);
    this.#wake?.();
  }

  /** Waits for a change, for deltas, or for the close. True: the task may have changed since the last call. */
  async waitForChange(): Promise<boolean> {
    if (!this.#isPoked && !this.#isClosed && this.#deltas.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const mayHaveChanged = this.#isPoked;
    this.#isPoked = false;
    return mayHaveChanged;
  }

  takeDeltas(): readonly Delta[] {
    const taken = this.#deltas;
    this.#deltas = [];
    return taken;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closed();
    this.#wake?.();
  }
}

/** Signals may be lost, so every watched task is polled at this interval and after an outage. */
const POLL_EVERY_MS = 15_000;
const OUTAGE_CHECK_MS = 100;

/** Wakes the requests on this gateway whose task may have changed; they read the task from the store. */
export class TaskWatch {
  readonly #backbone: Backbone;
  readonly #clock: Clock;
  readonly #watchers = new Map<string, Set<TaskWatcher>>();
  readonly #listeners: Listener[] = [];
  #timer: Timer | undefined;
  #wasOk = true;
  #lastPoll = 0;

  constructor({ backbone, clock }: { backbone: Backbone; clock: Clock }) {
    this.#backbone = backbone;
    this.#clock = clock;
  }

  async listenTo({ tenant, agent }: AgentRef): Promise<void> {
    const { bus } = this.#backbone;
    const subjects = subjectsOf(tenant);
    this.#listeners.push(
      await bus.listen(subjects.a2aTaskChanged(agent), (address) => {
        for (const watcher of this.#of(address)) watcher.notify();
      }),
      await bus.listen(subjects.userSignal(agent), (signal) => this.#addDelta({ tenant, agent }, signal)),
    );
  }

  /** The watcher misses no change from now until it is closed. */
  follow(address: InboundTaskAddress): TaskWatcher {
    const { encoded } = taskKey(address);
    const watchers = this.#watchers.get(encoded) ?? new Set();
    const watcher = new TaskWatcher(() => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(encoded) === watchers) this.#watchers.delete(encoded);
    });
    this.#watchers.set(encoded, watchers.add(watcher));
    this.#timer ??= this.#clock.after(OUTAGE_CHECK_MS, () => this.#pollAll());
    return watcher;
  }

  close(): void {
    this.#timer?.cancel();
    for (const listener of this.#listeners) listener.close();
    for (const watchers of [...this.#watchers.values()]) for (const watcher of [...watchers]) watcher.close();
  }

  #of(address: InboundTaskAddress): readonly TaskWatcher[] {
    return [...(this.#watchers.get(taskKey(address).encoded) ?? [])];
  }

  #addDelta(agentRef: AgentRef, signal: UserSignal): void {
    if (signal.type !== "delta" || signal.conversation.channel !== INBOUND_CHANNEL) return;
    const { attempt, offset, text, correlationId: id, conversation } = signal;
    const delta: Delta = { attempt, offset, text };
    for (const watcher of this.#of({ ...agentRef, caller: conversation.room, id })) watcher.add(delta);
  }

  #pollAll(): void {
    const { ok } = this.#backbone.health();
    const isDue = this.#clock.monotonic() - this.#lastPoll >= POLL_EVERY_MS;
    if (isDue || (ok && !this.#wasOk)) {
      this.#lastPoll = this.#clock.monotonic();
      for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher.notify();
    }
    this.#wasOk = ok;
    this.#timer = this.#watchers.size === 0 ? undefined : this.#clock.after(OUTAGE_CHECK_MS, () => this.#pollAll());
  }
}
