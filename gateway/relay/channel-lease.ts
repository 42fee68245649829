import { z } from "zod";
import { messageOf, RevisionConflict } from "../../core/contract/app-error.ts";
import type { Clock, Timer } from "../../core/contract/clock.ts";
import { collection, keyOf } from "../../core/contract/collection.ts";
import type { Logger } from "../../core/contract/logger.ts";
import type { Store } from "../../core/contract/store.ts";

const LeaseRecord = z.looseObject({ holder: z.string(), leaseMs: z.number() });
const leases = collection("channel-leases", LeaseRecord);
const leaseKey = (tenant: string, channel: string) => keyOf(leases, tenant, channel);

export interface LeaseParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tenant: string;
  readonly channel: string;
  /** Unique among the gateways that run at the same time. One that comes back with its old name takes its lease back. */
  readonly instance: string;
  /** A holder that dies is replaced within this time. */
  readonly leaseMs: number;
  /** The lease was gained or lost. Called in turn: a change waits for the end of the one before. */
  changed(held: boolean): Promise<void>;
}

/**
 * Who may connect to a channel that takes one connection only. Nobody's wall clock counts: a holder gives up two
 * thirds of a lease after the start of its last renewal, and another takes over once it has seen no renewal for that long.
 */
export class ChannelLease {
  readonly #parts: LeaseParts;
  readonly #expiresInMs: number;
  #revision: number | undefined;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #seen: { revision: number; at: number } | undefined;
  #told = false;
  #telling: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #expiry: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#expiresInMs = (parts.leaseMs * 2) / 3;
  }

  get held(): boolean {
    return this.#revision !== undefined && this.#parts.clock.monotonic() < this.#heldUntil;
  }

  /** Resolves after the first look, and after the change that came of it. */
  async start(): Promise<void> {
    await this.#look();
    await this.#telling;
  }

  /** Gives the lease to whoever wants it next, once the holder's work has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#expiry?.cancel();
    await this.#looking;
    this.#tell(false);
    await this.#telling;
    if (this.#revision === undefined) return;
    const { store, tenant, channel } = this.#parts;
    // Somebody who took over in the meantime keeps it; a store that is away lets it expire.
    await store.delete(leaseKey(tenant, channel), { ifRevision: this.#revision }).catch(() => undefined);
  }

  #look(): Promise<void> {
    this.#looking = this.#renewOrTake();
    return this.#looking;
  }

  async #renewOrTake(): Promise<void> {
    try {
      await (this.#revision === undefined ? this.#takeIfFree() : this.#write(this.#revision));
    } catch (error) {
      if (error instanceof RevisionConflict) this.#lose();
      else this.#parts.logger.warn({ channel: this.#parts.channel, error: messageOf(error) }, "lease not renewed");
    }
    if (this.#stopped) return;
    const pauseMs = this.#parts.leaseMs / (this.#revision === undefined ? 6 : 3);
    this.#timer = this.#parts.clock.after(pauseMs, () => void this.#look());
  }

  async #takeIfFree(): Promise<void> {
    const { store, clock, tenant, channel, instance } = this.#parts;
    const record = await store.get(leaseKey(tenant, channel));
    if (record === undefined) return this.#write(0);
    if (record.value.holder === instance) return this.#write(record.revision);
    const now = clock.monotonic();
    if (this.#seen?.revision !== record.revision) this.#seen = { revision: record.revision, at: now };
    if (now - this.#seen.at >= (record.value.leaseMs * 2) / 3) await this.#write(record.revision);
  }

  async #write(ifRevision: number): Promise<void> {
    const { store, clock, tenant, channel, instance, leaseMs } = this.#parts;
    const startedAt = clock.monotonic();
    this.#revision = await store.put(leaseKey(tenant, channel), { holder: instance, leaseMs }, { ifRevision });
    this.#heldUntil = startedAt + this.#expiresInMs;
    this.#expiry?.cancel();
    this.#expiry = clock.after(Math.max(0, this.#heldUntil - clock.monotonic()), () => this.#lose());
    this.#tell(this.held);
  }

  #lose(): void {
    this.#revision = undefined;
    this.#seen = undefined;
    this.#expiry?.cancel();
    this.#tell(false);
  }

  #tell(held: boolean): void {
    if (this.#told === held) return;
    this.#told = held;
    const { changed, channel, logger } = this.#parts;
    logger.info({ channel, held }, held ? "channel lease gained" : "channel lease given up");
    this.#telling = this.#telling
      .then(() => changed(held))
      .catch((error: unknown) => logger.error({ channel, held, error: messageOf(error) }, "lease change failed"));
  }
}
