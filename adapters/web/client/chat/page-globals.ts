import type { KeyValueStorage } from "../persistent-values.ts";

/** The used subset of the browser's LockManager. */
export interface Locks {
  request(name: string, whileHeld: () => Promise<unknown>): Promise<unknown>;
  request(name: string, options: { ifAvailable: true }, whileHeld: (lock: unknown) => void): Promise<unknown>;
}

interface EventSource {
  addEventListener(type: string, listener: () => void, options: { signal: AbortSignal }): void;
}

/** The globals of a page. Elsewhere, for example in Node or in a worker, some or all of them are absent. */
interface PageGlobals extends Partial<EventSource> {
  /** Throws in a sandboxed frame. */
  readonly localStorage?: KeyValueStorage;
  readonly sessionStorage?: KeyValueStorage;
  readonly navigator?: { readonly language?: string; readonly locks?: Locks };
  readonly document?: EventSource & { readonly hidden: boolean };
}

export const page = globalThis as unknown as PageGlobals;

/** Throws where the browser has no such storage, or blocks it. */
export const pageStorage = (name: "localStorage" | "sessionStorage"): KeyValueStorage => {
  const storage = page[name];
  if (!storage) throw new Error(`no ${name}`);
  return storage;
};
