import { z } from "zod";
import { messageOf, RevisionConflict } from "../../core/contract/app-error.ts";
import type { Clock, Timer } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { collection, keyOf, type Store } from "../../core/contract/ports/store.ts";

const LeaseRecord = z.looseObject({ holder: z.string(), leaseMs: z.number() });
const leases = collection("channel-leases", LeaseRecord);
const leaseKey = (tenant: string, channel: string) => keyOf(leases, tenant, channel);

interface LeaseDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tenant: string;
  readonly channel: string;
  /** Unique among the running gateways. A gateway that restarts under its old name takes its lease back. */
  readonly instance: string;
  /** Another gateway takes over within this time after the holder has crashed. */
  readonly leaseMs: number;
  /** Called when the lease is gained or lost; one call at a time. */
  changed(held: boolean): Promise<void>;
}

/**
 * The right to connect to a channel that allows one connection. It depends on no wall clock: the holder's lease expires
 * two thirds of `leaseMs` after the start of its last renewal, and another gateway takes over once it has seen no renewal
 * for that long.
 */
export class ChannelLease {
  readonly #deps: LeaseDeps;
  readonly #expiresInMs: number;
  #revision: number | undefined;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #seen: { revision: number; at: number } | undefined;
  #notified = false;
  #notifying: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #expiry: Timer | undefined;
  #checking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
    this.#expiresInMs = (deps.leaseMs * 2) / 3;
  }

  get held(): boolean {
    return this.#revision !== undefined && this.#deps.clock.monotonic() < this.#heldUntil;
  }

  /** Resolves after the first attempt to take the lease, and after the change that it caused. */
  async start(): Promise<void> {
    await this.#check();
    await this.#notifying;
  }

  /** Releases the lease once the holder's work has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#expiry?.cancel();
    await this.#checking;
    this.#notify(false);
    await this.#notifying;
    if (this.#revision === undefined) return;
    const { store, tenant, channel } = this.#deps;
    // A gateway that has taken over keeps the lease; if the store is unavailable, it expires.
    await store.delete(leaseKey(tenant, channel), { ifRevision: this.#revision }).catch(() => undefined);
  }

  #check(): Promise<void> {
    this.#checking = this.#renewOrTake();
    return this.#checking;
  }

  async #renewOrTake(): Promise<void> {
    try {
      await (this.#revision === undefined ? this.#takeIfFree() : this.#write(this.#revision));
    } catch (error) {
      if (error instanceof RevisionConflict) this.#lose();
      else
        this.#deps.logger.warn(
          { channel: this.#deps.channel, error: messageOf(error) },
          "could not renew channel lease",
        );
    }
    if (this.#stopped) return;
    const pauseMs = this.#deps.leaseMs / (this.#revision === undefined ? 6 : 3);
    this.#timer = this.#deps.clock.after(pauseMs, () => void this.#check());
  }

  async #takeIfFree(): Promise<void> {
    const { store, clock, tenant, channel, instance } = this.#deps;
    const record = await store.get(leaseKey(tenant, channel));
    if (record === undefined) return this.#write(0);
    if (record.value.holder === instance) return this.#write(record.revision);
    const now = clock.monotonic();
    if (this.#seen?.revision !== record.revision) this.#seen = { revision: record.revision, at: now };
    if (now - this.#seen.at >= (record.value.leaseMs * 2) / 3) await this.#write(record.revision);
  }

  async #write(ifRevision: number): Promise<void> {
    const { store, clock, tenant, channel, instance, leaseMs } = this.#deps;
    const startedAt = clock.monotonic();
    this.#revision = await store.put(leaseKey(tenant, channel), { holder: instance, leaseMs }, { ifRevision });
    this.#heldUntil = startedAt + this.#expiresInMs;
    this.#expiry?.cancel();
    this.#expiry = clock.after(Math.max(0, this.#heldUntil - clock.monotonic()), () => this.#lose());
    this.#notify(this.held);
  }

  #lose(): void {
    this.#revision = undefined;
    this.#seen = undefined;
    this.#expiry?.cancel();
    this.#notify(false);
  }

  #notify(held: boolean): void {
    if (this.#notified === held) return;
    this.#notified = held;
    const { changed, channel, logger } = this.#deps;
    logger.info({ channel, held }, held ? "channel lease gained" : "channel lease lost");
    this.#notifying = this.#notifying
      .then(() => changed(held))
      .catch((error: unknown) =>
        logger.error({ channel, held, error: messageOf(error) }, "could not apply channel lease change"),
      );
  }
}
