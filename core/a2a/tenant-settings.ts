import { z } from "zod";
import type { Clock } from "../contract/clock.ts";
import { collection, keyOf } from "../contract/collection.ts";
import type { Store } from "../contract/store.ts";

/** What operators have changed about a tenant since it was configured. */
const ChangedSettings = z.looseObject({ a2aAsync: z.boolean().optional() });

const changed = collection("tenant-settings", ChangedSettings);

export type ConfiguredTenants = Readonly<Record<string, { readonly a2aAsync: boolean }>>;

/** What a model is shown may be as old as this; what it does goes by the setting of the moment. */
const SHOWN_FOR_MS = 5_000;

/** From what a model is shown to what it does. */
const LONGEST_STEP_MS = 10 * 60_000;

/** Settings of tenants: what operators have said last, else the configuration. */
export class TenantSettings {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #configured: ConfiguredTenants;
  readonly #known = new Map<string, { value: boolean; at: number; changedAt?: number | undefined }>();

  constructor({ store, clock }: { store: Store; clock: Clock }, configured: ConfiguredTenants = {}) {
    this.#store = store;
    this.#clock = clock;
    this.#configured = configured;
  }

  /** Whether agents may message each other without waiting (A2). */
  async isAsync(tenant: string): Promise<boolean> {
    const stored = await this.#store.get(keyOf(changed, tenant));
    const value = stored?.value.a2aAsync ?? this.#configured[tenant]?.a2aAsync ?? false;
    this.#note(tenant, value);
    return value;
  }

  /** Whether a model may still do what it was shown before the setting changed. */
  hasJustChanged(tenant: string): boolean {
    const changedAt = this.#known.get(tenant)?.changedAt;
    return changedAt !== undefined && this.#clock.monotonic() - changedAt < LONGEST_STEP_MS;
  }

  /** The same as it was a moment ago, without a read. */
  wasAsync(tenant: string): boolean {
    const known = this.#known.get(tenant);
    const isOld = known === undefined || this.#clock.monotonic() - known.at > SHOWN_FOR_MS;
    // If it cannot be read now, what was known stays.
    if (isOld) void this.isAsync(tenant).catch(() => undefined);
    return known?.value ?? this.#configured[tenant]?.a2aAsync ?? false;
  }

  async setAsync(tenant: string, a2aAsync: boolean): Promise<void> {
    await this.#store.put(keyOf(changed, tenant), { a2aAsync });
    this.#note(tenant, a2aAsync);
  }

  #note(tenant: string, value: boolean): void {
    const before = this.#known.get(tenant);
    const at = this.#clock.monotonic();
    const isChange = before !== undefined && before.value !== value;
    this.#known.set(tenant, { value, at, changedAt: isChange ? at : before?.changedAt });
  }
}
