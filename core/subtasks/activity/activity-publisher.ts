import { messageOf } from "../../contract/app-error.ts";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import type { Subtask } from "../../contract/messages/subtask.ts";
import type { Bus } from "../../contract/ports/bus.ts";
import { type Clock, isoTime, type Timer } from "../../contract/ports/clock.ts";
import type { Logger } from "../../contract/ports/logger.ts";
import type { Store } from "../../contract/ports/store.ts";
import { type Texts, textsFor } from "../../contract/texts/texts.ts";
import { publishReply } from "../../delivery/index.ts";
import { type Batch, isOver } from "../owner/batch.ts";
import { readOwner } from "../owner/owner-record.ts";
import { readSubtasks } from "../record/subtask-record.ts";
import { activityReply, type CallActivity, itemOfCall, itemOfSubtask, withoutModelText } from "./activity-entry.ts";

/** Delay of the first progress state: work has started by then, and short work needs none. */
const FIRST_STATE_MS = 500;
/** Minimum time between two progress states of a turn (D8). */
const INTERVAL_MS = 1_000;

interface Deps {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Entries show no text of models. */
  readonly withoutModelText?: boolean;
  readonly calls: {
    /** In the order of `ids`, without expired calls. */
    items(sender: AgentRef, ids: readonly string[], texts: Texts): Promise<CallActivity[]>;
  };
}

/** A subtask or call that a turn has delegated. */
type Work = Pick<Subtask, "tenant" | "agent" | "owner" | "parentTurnId">;

/** Publishes the state of delegated work, at most once a second per turn. Only the last state is durable. */
export class ActivityPublisher {
  readonly #deps: Deps;
  readonly #waiting = new Map<string, Timer>();
  readonly #shownAt = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Schedules a progress state. Work that a subtask delegated, or that is done for another agent, is not shown. */
  touch(work: Work): void {
    const { parentTurnId: turnId, owner } = work;
    if (!isShown(owner) || this.#waiting.has(turnId)) return;
    const { clock } = this.#deps;
    const shownAt = this.#shownAt.get(turnId);
    const waitMs = shownAt === undefined ? FIRST_STATE_MS : Math.max(0, shownAt + INTERVAL_MS - clock.monotonic());
    this.#waiting.set(
      turnId,
      clock.after(waitMs, () => this.#showNow(work)),
    );
  }

  /** Publishes the final state. Its id is fixed, so a repeat is a duplicate. */
  async complete(agentRef: AgentRef, batch: Batch): Promise<void> {
    this.#forget(batch.turnId);
    if (isShown(batch.standing.owner)) await this.#publish(agentRef, batch, "completion");
  }

  async stop(): Promise<void> {
    for (const turnId of [...this.#waiting.keys()]) this.#forget(turnId);
    await Promise.all(this.#running);
  }

  #showNow(work: Work): void {
    this.#waiting.delete(work.parentTurnId);
    const now = this.#deps.clock.monotonic();
    // Another process may have completed a batch, so drop entries that no longer delay a state.
    for (const [turnId, shownAt] of this.#shownAt) if (now - shownAt > INTERVAL_MS) this.#shownAt.delete(turnId);
    this.#shownAt.set(work.parentTurnId, now);
    const showing = this.#show(work)
      .catch((error) => {
        this.#deps.logger.debug({ turnId: work.parentTurnId, error: messageOf(error) }, "could not publish progress");
      })
      .finally(() => this.#running.delete(showing));
    this.#running.add(showing);
  }

  async #show({ tenant, agent, owner, parentTurnId }: Work): Promise<void> {
    const record = await readOwner(this.#deps.store, { tenant, agent, ownerId: owner.ownerId });
    const batch = record.batches[parentTurnId];
    if (batch === undefined || isOver(batch)) return this.#forget(parentTurnId);
    await this.#publish({ tenant, agent }, batch, "progress");
  }

  async #publish(agentRef: AgentRef, batch: Batch, kind: "progress" | "completion"): Promise<void> {
    const { store, bus, clock, calls } = this.#deps;
    const [subtasks, callItems] = await Promise.all([
      readSubtasks(store, agentRef, idsOf(batch.members)),
      calls.items(agentRef, idsOf(batch.calls ?? []), textsFor(batch.asker.locale)),
    ]);
    const texts = textsFor(batch.asker.locale);
    const items = [...subtasks.map((subtask) => itemOfSubtask(subtask, texts)), ...callItems.map(itemOfCall)];
    if (items.length === 0) return;
    const shown = this.#deps.withoutModelText ? withoutModelText(batch, items, texts) : { batch, items };
    await publishReply(bus, activityReply(agentRef, shown.batch, shown.items, kind, isoTime(clock.now()), texts));
  }

  #forget(turnId: string): void {
    this.#waiting.get(turnId)?.cancel();
    this.#waiting.delete(turnId);
    this.#shownAt.delete(turnId);
  }
}

const idsOf = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id);

const isShown = ({ ownerType, worksFor }: Subtask["owner"]): boolean =>
  ownerType !== "worker" && worksFor === undefined;
