import { OutgoingQueue, readQueue, type StoredQueue } from "../outgoing-queue.ts";
import { PersistentValues } from "../persistent-values.ts";
import { type Locks, page, pageStorage } from "./page-globals.ts";

/**
 * The unsent messages of each tab, so that they outlive it. Every tab holds a lock while it lives: a queue whose lock is
 * free belongs to a tab that was closed, reloaded or killed, and the next tab of the same visitor takes it over. Pages
 * without locks (insecure ones) keep their queue across a reload only.
 */
export class TabQueues {
  readonly queue: OutgoingQueue;
  readonly #prefix: string;
  readonly #own: string;

  constructor(prefix: string, id: string) {
    this.#prefix = `${prefix}tab:`;
    this.#own = `${this.#prefix}${id}:`;
    const locks = locksOrNone();
    this.queue = new OutgoingQueue(
      locks === undefined
        ? new PersistentValues(() => pageStorage("sessionStorage"), prefix)
        : new PersistentValues(() => pageStorage("localStorage"), this.#own),
    );
    // Never released: the lock ends with the page.
    locks?.request(this.#own, () => new Promise(() => undefined)).catch(() => undefined);
  }

  /** Hands over the queues of ended tabs. A queue is deleted after `take` has stored its messages. */
  async adopt(isOwn: (queue: StoredQueue) => boolean, take: (queue: StoredQueue) => void): Promise<void> {
    const locks = locksOrNone();
    if (locks === undefined) return;
    const storage = pageStorage("localStorage");
    for (const key of this.#keys().filter((each) => !each.startsWith(this.#own))) {
      const name = key.slice(0, key.lastIndexOf(":") + 1);
      await locks.request(name, { ifAvailable: true }, (lock) => {
        const stored = lock === null ? null : storage.getItem(key);
        const found = readQueue(stored ?? undefined);
        if (stored === null || !isOwn(found)) return;
        take(found);
        storage.removeItem(key);
      });
    }
  }

  /** Deletes the queues of all tabs. */
  clear(): void {
    this.queue.clear();
    for (const key of this.#keys()) pageStorage("localStorage").removeItem(key);
  }

  #keys(): string[] {
    try {
      return Object.keys(pageStorage("localStorage")).filter((key) => key.startsWith(this.#prefix));
    } catch {
      // The browser blocks storage.
      return [];
    }
  }
}

const locksOrNone = (): Locks | undefined => {
  try {
    return pageStorage("localStorage") && page.navigator?.locks;
  } catch {
    return undefined;
  }
};
