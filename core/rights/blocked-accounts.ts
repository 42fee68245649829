import { messageOf } from "../contract/app-error.ts";
import type { Audience } from "../contract/messages/work-context.ts";
import type { Bus, Listener } from "../contract/ports/bus.ts";
import { type Clock, isoTime, type Timer } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Store } from "../contract/ports/store.ts";
import { askingAccount, type OwnAccount } from "../people/index.ts";
import {
  type BlockAddress,
  type BlockedAccount,
  blocksChanged,
  blocksOf,
  claimRefusal,
  readBlock,
} from "./block-record.ts";

interface BlockedAccountsDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A signal may be lost, so every process also lists the blocks this often. */
const REFRESH_MS = 30_000;

/** The blocked accounts of this process's tenants, in memory, so that a message costs no read. */
export class BlockedAccounts {
  readonly #deps: BlockedAccountsDeps;
  readonly #blocks = new Map<string, BlockedAccount>();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #listeners: Listener[] = [];
  #tenants: readonly string[] = [];
  #timer: Timer | undefined;

  constructor(deps: BlockedAccountsDeps) {
    this.#deps = deps;
  }

  /** Resolves once the stored blocks are known. */
  async start(tenants: Iterable<string>): Promise<void> {
    this.#tenants = [...new Set(tenants)];
    for (const tenant of this.#tenants) {
      this.#listeners.push(
        await this.#deps.bus.listen(blocksChanged(tenant), (account) => void this.#read({ tenant, ...account })),
      );
    }
    await this.#list();
    this.#refreshLater();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#tenants = [];
    for (const listener of this.#listeners) listener.close();
  }

  has(address: BlockAddress): boolean {
    return this.#blocks.size > 0 && this.#blocks.has(nameOf(address));
  }

  /** Whether the account that asked for a piece of work is blocked. */
  hasAsker(tenant: string, audience: Audience): boolean {
    const asker = this.#blocks.size === 0 ? undefined : askingAccount(audience);
    return asker !== undefined && this.has({ tenant, ...asker });
  }

  /** Reads the stored block first, because the signal of an unblock may still be on its way. */
  async stillHasAsker(tenant: string, audience: Audience): Promise<boolean> {
    const asker = this.hasAsker(tenant, audience) ? askingAccount(audience) : undefined;
    if (asker !== undefined) await this.#read({ tenant, ...asker });
    return this.hasAsker(tenant, audience);
  }

  accountsOf(tenant: string): OwnAccount[] {
    return [...this.#blocks.values()].filter((block) => block.tenant === tenant);
  }

  /** Calls the listener when the asker of a piece of work is blocked. The result ends the watch. */
  watchAsker(tenant: string, audience: Audience, listener: () => void): () => void {
    const asker = askingAccount(audience);
    if (asker === undefined) return () => undefined;
    const name = nameOf({ tenant, ...asker });
    const watching = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, watching.add(listener));
    return () => {
      if (watching.delete(listener) && watching.size === 0) this.#watchers.delete(name);
    };
  }

  /** True once per block, over all processes: the caller then refuses the message instead of ignoring it. */
  async claimRefusal(address: BlockAddress): Promise<boolean> {
    const known = this.#blocks.get(nameOf(address));
    if (known === undefined || known.refusedAt !== undefined) return false;
    const refusedAt = isoTime(this.#deps.clock.now());
    const isFirst = await claimRefusal(this.#deps.store, address, refusedAt);
    this.#blocks.set(nameOf(address), { ...known, refusedAt });
    return isFirst;
  }

  async #read(address: BlockAddress): Promise<void> {
    try {
      const block = await readBlock(this.#deps.store, address);
      if (block === undefined) this.#blocks.delete(nameOf(address));
      else this.#add(block);
    } catch (error) {
      // The next listing finds the change.
      this.#deps.logger.warn({ error: messageOf(error) }, "could not read a blocked account, retrying");
    }
  }

  async #list(): Promise<void> {
    const found: BlockedAccount[] = [];
    for (const tenant of this.#tenants) {
      for await (const { value } of this.#deps.store.list(blocksOf(tenant))) found.push(value);
    }
    const names = new Set(found.map(nameOf));
    for (const name of this.#blocks.keys()) if (!names.has(name)) this.#blocks.delete(name);
    for (const block of found) this.#add(block);
  }

  #add(block: BlockedAccount): void {
    const name = nameOf(block);
    const isNew = !this.#blocks.has(name);
    this.#blocks.set(name, block);
    if (isNew) for (const listener of [...(this.#watchers.get(name) ?? [])]) listener();
  }

  #refreshLater(): void {
    if (this.#tenants.length === 0) return;
    this.#timer = this.#deps.clock.after(REFRESH_MS, () => {
      void this.#list()
        .catch((error: unknown) =>
          this.#deps.logger.warn({ error: messageOf(error) }, "could not list blocked accounts, retrying"),
        )
        .finally(() => this.#refreshLater());
    });
  }
}

const nameOf = ({ tenant, channel, accountId }: BlockAddress): string => JSON.stringify([tenant, channel, accountId]);
