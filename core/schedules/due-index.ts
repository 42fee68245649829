import { z } from "zod";
import type { AgentRef, ScheduleAddress, ScheduleDue } from "../contract/messages/addresses.ts";
import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Bus } from "../contract/ports/bus.ts";
import { collection, keyOf, prefixOf, type Store } from "../contract/ports/store.ts";

export interface DueTime {
  readonly schedule: ScheduleAddress;
  readonly dueAt: string;
}

const Entry = z.looseObject({ owner: z.string(), id: z.string(), dueAt: z.iso.datetime() });
const entries = collection("schedule-due", Entry);
const hours = collection("schedule-hours", z.looseObject({ hour: z.string() }));

const HOUR_MS = 3_600_000;

export const hourOf = (ms: number): string => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString().slice(0, 13);

/**
 * Due times grouped by hour, so that a process reads the next hours only. Each hour has a record whose revision changes
 * with every addition, so that one read detects new entries.
 */
export class DueIndex {
  readonly #bus: Bus;
  readonly #store: Store;

  constructor({ bus, store }: { bus: Bus; store: Store }) {
    this.#bus = bus;
    this.#store = store;
  }

  /** Idempotent. */
  async add(due: DueTime): Promise<void> {
    const { tenant, agent, owner, id } = due.schedule;
    const hour = hourOf(Date.parse(due.dueAt));
    const entry = { owner, id, dueAt: due.dueAt };
    // In this order a reader of the hour's new revision always finds the entry.
    await this.#store.put(entryKey(due), entry);
    await this.#store.put(keyOf(hours, tenant, agent, hour), { hour });
    this.#bus.signal(subjectsOf(tenant).scheduleDueAdded(agent), { tenant, agent, ...entry });
  }

  async remove(due: DueTime): Promise<void> {
    await this.#store.delete(entryKey(due));
  }

  async has(due: DueTime): Promise<boolean> {
    return (await this.#store.get(entryKey(due))) !== undefined;
  }

  /** All hours that have or had entries. */
  async hours({ tenant, agent }: AgentRef): Promise<string[]> {
    const found: string[] = [];
    for await (const { value } of this.#store.list(prefixOf(hours, tenant, agent))) found.push(value.hour);
    return found.sort();
  }

  /** 0 if the hour never had an entry. */
  async revisionOf({ tenant, agent }: AgentRef, hour: string): Promise<number> {
    return (await this.#store.get(keyOf(hours, tenant, agent, hour)))?.revision ?? 0;
  }

  async *in({ tenant, agent }: AgentRef, hour: string): AsyncGenerator<DueTime> {
    for await (const { value } of this.#store.list(prefixOf(entries, tenant, agent, hour))) {
      yield { schedule: { tenant, agent, owner: value.owner, id: value.id }, dueAt: value.dueAt };
    }
  }

  /** Deletes the record of a past, empty hour. Rejects with RevisionConflict after a concurrent addition. */
  async forget({ tenant, agent }: AgentRef, hour: string, revision: number): Promise<void> {
    await this.#store.delete(keyOf(hours, tenant, agent, hour), { ifRevision: revision });
  }
}

const entryKey = ({ schedule: { tenant, agent, owner, id }, dueAt }: DueTime) =>
  keyOf(entries, tenant, agent, hourOf(Date.parse(dueAt)), owner, id, dueAt);

/**
 * Publishes a due time. Every core process does so, and the bus drops the duplicates by their id. `isRepeat` publishes
 * one more, which is not a duplicate of the others.
 */
export const publishDue = async (
  { bus }: { readonly bus: Bus },
  due: ScheduleDue,
  { isRepeat = false } = {},
): Promise<void> => {
  const { tenant, agent, owner, id, dueAt, byHand } = due;
  const occasion = byHand === undefined ? dueAt : `by hand ${byHand}`;
  const messageId = `${owner} ${id} ${occasion}${isRepeat ? " again" : ""}`;
  await bus.publish(subjectsOf(tenant).scheduleDue(agent), due, { id: messageId, key: `${owner} ${id}` });
};
