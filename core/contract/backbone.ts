import type { Bus } from "./bus.ts";
import type { Store } from "./store.ts";

export type BackboneHealth = { ok: true } | { ok: false; reason: string };

/** A bus and a store that belong together. */
export interface Backbone {
  readonly bus: Bus;
  readonly store: Store;
  health(): BackboneHealth;
  /** Closes its consumers first, as Consumer.close does, then itself. What is asked of it afterwards rejects with "stopped". */
  close(): Promise<void>;
}
