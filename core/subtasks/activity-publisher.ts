import { messageOf } from "../contract/app-error.ts";
import type { Bus } from "../contract/bus.ts";
import type { Clock, Timer } from "../contract/clock.ts";
import { isoTime } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import type { Store } from "../contract/store.ts";
import type { Subtask } from "../contract/subtask.ts";
import { publishReply } from "../delivery/index.ts";
import { itemOfSubtask } from "./activity-items.ts";
import { activityReply } from "./activity-reply.ts";
import type { Batch } from "./batch.ts";
import { isOver } from "./batch.ts";
import type { DelegatedCalls } from "./delegated-calls.ts";
import { readOwner } from "./owner-record.ts";
import { readSubtasks } from "./subtask-record.ts";

/** Long enough for work to begin, so that the first look shows it; what is over by then needs no look in between. */
const FIRST_LOOK_MS = 500;
/** Between two looks at one turn's work (D8). */
const PAUSE_MS = 1_000;

interface Parts {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: DelegatedCalls;
}

type Place = Pick<Subtask, "tenant" | "agent">;
/** Something a turn has delegated. */
type Work = Pick<Subtask, "tenant" | "agent" | "owner" | "parentTurnId">;

/** Shows what a turn's subtasks are doing, gathered to one state a second. Only the last state must not get lost. */
export class ActivityPublisher {
  readonly #parts: Parts;
  readonly #waiting = new Map<string, Timer>();
  readonly #shownAt = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Something has changed about it. Work of a subtask's own, and for another agent, is not shown. */
  touch(work: Work): void {
    const { parentTurnId: turnId, owner } = work;
    if (!isShown(owner) || this.#waiting.has(turnId)) return;
    const { clock } = this.#parts;
    const shownAt = this.#shownAt.get(turnId);
    const waitMs = shownAt === undefined ? FIRST_LOOK_MS : Math.max(0, shownAt + PAUSE_MS - clock.monotonic());
    this.#waiting.set(
      turnId,
      clock.after(waitMs, () => this.#look(work)),
    );
  }

  /** Everything has ended: the last state, once, whatever was shown before. */
  async complete(place: Place, batch: Batch): Promise<void> {
    this.#forget(batch.turnId);
    if (isShown(batch.standing.owner)) await this.#publish(place, batch, "completion");
  }

  async stop(): Promise<void> {
    for (const turnId of [...this.#waiting.keys()]) this.#forget(turnId);
    await Promise.all(this.#running);
  }

  #look(work: Work): void {
    this.#waiting.delete(work.parentTurnId);
    const now = this.#parts.clock.monotonic();
    // Others may have ended in another process: what no longer holds anything up is dropped.
    for (const [turnId, shownAt] of this.#shownAt) if (now - shownAt > PAUSE_MS) this.#shownAt.delete(turnId);
    this.#shownAt.set(work.parentTurnId, now);
    const showing = this.#show(work)
      .catch((error) => {
        this.#parts.logger.debug({ turnId: work.parentTurnId, error: messageOf(error) }, "progress not shown");
      })
      .finally(() => this.#running.delete(showing));
    this.#running.add(showing);
  }

  async #show({ tenant, agent, owner, parentTurnId }: Work): Promise<void> {
    const record = await readOwner(this.#parts.store, { tenant, agent, ownerId: owner.ownerId });
    const batch = record.batches[parentTurnId];
    if (batch === undefined || isOver(batch)) return this.#forget(parentTurnId);
    await this.#publish({ tenant, agent }, batch, "progress");
  }

  async #publish(place: Place, batch: Batch, kind: "progress" | "completion"): Promise<void> {
    const { store, bus, clock, calls } = this.#parts;
    const [subtasks, callItems] = await Promise.all([
      readSubtasks(store, place, idsOf(batch.members)),
      calls.items(place, idsOf(batch.calls ?? [])),
    ]);
    const items = [...subtasks.map(itemOfSubtask), ...callItems];
    if (items.length > 0) await publishReply(bus, activityReply(place, batch, items, kind, isoTime(clock.now())));
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
