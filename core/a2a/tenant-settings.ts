import { z } from "zod";
import type { Clock } from "../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";

/** Settings of a tenant that operators changed at run time. */
const ChangedSettings = z.looseObject({ a2aAsync: z.boolean().optional() });

const changed = collection("tenant-settings", ChangedSettings);

export type ConfiguredTenants = Readonly<Record<string, { readonly a2aAsync: boolean }>>;

/** Maximum age of the setting in tool descriptions; tool runs read the current setting. */
const CACHE_TTL_MS = 5_000;

/** Maximum time between a prompt and the tool call that the model makes of it. */
const MAX_STEP_MS = 10 * 60_000;

/** Settings of tenants: an operator's latest change, else the configuration. */
export class TenantSettings {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #configured: ConfiguredTenants;
  readonly #cache = new Map<string, { value: boolean; at: number; changedAt?: number | undefined }>();

  constructor({ store, clock }: { store: Store; clock: Clock }, configured: ConfiguredTenants = {}) {
    this.#store = store;
    this.#clock = clock;
    this.#configured = configured;
  }

  /** Whether agents may message each other without waiting (A2). */
  async isAsync(tenant: string): Promise<boolean> {
    const stored = await this.#store.get(keyOf(changed, tenant));
    const value = stored?.value.a2aAsync ?? this.#configured[tenant]?.a2aAsync ?? false;
    this.#updateCache(tenant, value);
    return value;
  }

  /** Whether a model may still act on a prompt from before the latest change. */
  hasJustChanged(tenant: string): boolean {
    const changedAt = this.#cache.get(tenant)?.changedAt;
    return changedAt !== undefined && this.#clock.monotonic() - changedAt < MAX_STEP_MS;
  }

  /** The cached setting; refreshes an old one in the background. */
  cachedIsAsync(tenant: string): boolean {
    const cached = this.#cache.get(tenant);
    const isOld = cached === undefined || this.#clock.monotonic() - cached.at > CACHE_TTL_MS;
    // On a failed read the cached value stays.
    if (isOld) void this.isAsync(tenant).catch(() => undefined);
    return cached?.value ?? this.#configured[tenant]?.a2aAsync ?? false;
  }

  async setAsync(tenant: string, a2aAsync: boolean): Promise<void> {
    await this.#store.put(keyOf(changed, tenant), { a2aAsync });
    this.#updateCache(tenant, a2aAsync);
  }

  #updateCache(tenant: string, value: boolean): void {
    const before = this.#cache.get(tenant);
    const at = this.#clock.monotonic();
    const isChange = before !== undefined && before.value !== value;
    this.#cache.set(tenant, { value, at, changedAt: isChange ? at : before?.changedAt });
  }
}
