import type { Bus, Listener } from "../contract/bus.ts";
import type { Subject } from "../contract/subject.ts";

/** Who in this process waits for news of which record. News may be lost: whoever listens here also looks now and then. */
export class ChangeEvents<T extends { readonly id: string }> {
  readonly #watchers = new Map<string, Set<(record: T) => void>>();
  readonly #listeners: Listener[] = [];

  async listenTo(bus: Bus, subject: Subject<T>): Promise<void> {
    this.#listeners.push(await bus.listen(subject, (record) => this.#changed(record)));
  }

  /** Returns what ends the watch. */
  watch(ids: readonly string[], changed: (record: T) => void): () => void {
    for (const id of ids) this.#watchers.set(id, (this.#watchers.get(id) ?? new Set()).add(changed));
    return () => {
      for (const id of ids) {
        const watching = this.#watchers.get(id);
        watching?.delete(changed);
        if (watching?.size === 0) this.#watchers.delete(id);
      }
    };
  }

  close(): void {
    for (const listener of this.#listeners) listener.close();
  }

  #changed(record: T): void {
    for (const changed of [...(this.#watchers.get(record.id) ?? [])]) changed(record);
  }
}
