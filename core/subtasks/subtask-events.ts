import type { Bus, Listener } from "../contract/bus.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Subtask } from "../contract/subtask.ts";

/** Who in this process waits for news of which subtask. News may be lost: whoever listens here also looks now and then. */
export class SubtaskEvents {
  readonly #watchers = new Map<string, Set<(subtask: Subtask) => void>>();
  readonly #listeners: Listener[] = [];

  async listenTo(bus: Bus, { tenant, name }: { tenant: string; name: string }): Promise<void> {
    const subject = subjectsOf(tenant).subtaskChanged(name);
    this.#listeners.push(await bus.listen(subject, (subtask) => this.#changed(subtask)));
  }

  /** Returns what ends the watch. */
  watch(ids: readonly string[], changed: (subtask: Subtask) => void): () => void {
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

  #changed(subtask: Subtask): void {
    for (const changed of [...(this.#watchers.get(subtask.id) ?? [])]) changed(subtask);
  }
}
