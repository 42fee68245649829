import type { Delivery, Receipt } from "../../../adapters/contract/channel-adapter.ts";
import { RevisionConflict } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import type { Store, Stored } from "../../../core/contract/ports/store.ts";
import { type LedgerEntry, ledgerKey } from "../../../core/delivery/index.ts";
import { isStreamDraft } from "./delivery-parts.ts";

/** The exclusive right of this process to send a part now. */
export interface Claim {
  readonly delivery: Delivery;
  readonly revision: number;
  /** Time of the first attempt that may have reached the platform; of this attempt, if it is the first. */
  readonly maybeSentAt: string;
  /** An earlier attempt may have reached the platform. */
  readonly mayBeSent: boolean;
  /** Before the claim was stored, on the monotonic clock of this process. */
  readonly claimedAt: number;
}

export type Begun = Extract<LedgerEntry, { state: "begun" }>;

type PartAddress = Pick<Delivery, "reply" | "target"> & { readonly part: Pick<Delivery["part"], "index"> };

/** Records the state of each part, so that no part is sent twice by mistake. Each step is a compare-and-set. */
export class Ledger {
  readonly #store: Store;
  readonly #clock: Clock;
  /** Receipts of the platform that the store could not take yet. */
  readonly #unwritten = new Map<string, Receipt>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Claims a part without an entry at the cost of one write; otherwise resolves to the entry. */
  async claimNew(delivery: Delivery, attempt: number): Promise<Claim | Stored<LedgerEntry>> {
    const unwritten = this.#unwritten.get(delivery.id);
    if (unwritten !== undefined) {
      await this.#put(delivery, this.#accepted(unwritten));
      this.#unwritten.delete(delivery.id);
    } else {
      try {
        return await this.claim(delivery, attempt, 0);
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
      }
    }
    return (await this.#store.get(keyOf(delivery))) ?? this.claim(delivery, attempt, 0);
  }

  async read(part: PartAddress): Promise<Stored<LedgerEntry> | undefined> {
    return this.#store.get(keyOf(part));
  }

  async claim(delivery: Delivery, attempt: number, ifRevision: number, maybeSentAt?: string): Promise<Claim> {
    const at = isoTime(this.#clock.now());
    const claimedAt = this.#clock.monotonic();
    const entry = { state: "claimed", at, attempt, maybeSentAt: maybeSentAt ?? at, ...draftIn(delivery) } as const;
    const revision = await this.#put(delivery, entry, ifRevision);
    return { delivery, revision, maybeSentAt: entry.maybeSentAt, mayBeSent: maybeSentAt !== undefined, claimedAt };
  }

  /** The platform has the part: overwrites any other state. */
  async accept(delivery: Delivery, receipt: Receipt): Promise<void> {
    this.#unwritten.set(delivery.id, receipt);
    await this.#put(delivery, this.#accepted(receipt));
    this.#unwritten.delete(delivery.id);
  }

  /** The platform shows the stream draft. Rejects with RevisionConflict if another process has taken over. */
  async begin({ delivery, revision }: Pick<Claim, "delivery" | "revision">, { messageId }: Receipt): Promise<void> {
    await this.#put(delivery, { state: "begun", at: isoTime(this.#clock.now()), messageId }, revision);
  }

  /** Makes the process that posted the draft stop editing it. */
  async close(part: PartAddress, { value, revision }: Stored<Begun>): Promise<void> {
    await this.#put(part, { ...value, closedAt: isoTime(this.#clock.now()) }, revision);
  }

  /** The platform certainly does not have the part. */
  async fail({ delivery, revision }: Claim, reason: string): Promise<void> {
    await this.#put(delivery, { state: "failed", at: isoTime(this.#clock.now()), reason }, revision);
  }

  /**
   * Prevents any process from sending the part on its own. False: the part was sent, or may have been. Rejects with
   * RevisionConflict while another process works on it.
   */
  async withdraw(part: PartAddress): Promise<boolean> {
    const known = await this.#store.get(keyOf(part));
    if (known?.value.state === "withdrawn") return true;
    if (known !== undefined && known.value.state !== "failed") return false;
    const entry: LedgerEntry = { state: "withdrawn", at: isoTime(this.#clock.now()) };
    await this.#put(part, entry, known?.revision ?? 0);
    return true;
  }

  /** The digest that carried a withdrawn part failed too. */
  async release(part: PartAddress, reason: string): Promise<void> {
    await this.#put(part, { state: "failed", at: isoTime(this.#clock.now()), reason });
  }

  /** The outcome of the digest that carried a withdrawn part is unknown. */
  async markWithdrawnUnknown(delivery: Delivery, reason: string): Promise<void> {
    const at = isoTime(this.#clock.now());
    await this.#put(delivery, { state: "unknown", at, maybeSentAt: at, reason });
  }

  async markUnknown({ delivery, revision, maybeSentAt }: Omit<Claim, "claimedAt">, reason: string): Promise<void> {
    const at = isoTime(this.#clock.now());
    await this.#put(delivery, { state: "unknown", at, maybeSentAt, reason, ...draftIn(delivery) }, revision);
  }

  #accepted({ messageId }: Receipt): LedgerEntry {
    return { state: "accepted", at: isoTime(this.#clock.now()), messageId };
  }

  #put(part: PartAddress, entry: LedgerEntry, ifRevision?: number): Promise<number> {
    return this.#store.put(keyOf(part), entry, ifRevision === undefined ? {} : { ifRevision });
  }
}

const draftIn = (delivery: Delivery) => (isStreamDraft(delivery) ? { beginning: delivery.part.markdown } : {});

const keyOf = ({ reply, target, part }: PartAddress) => ledgerKey(reply.id, target, part.index);
