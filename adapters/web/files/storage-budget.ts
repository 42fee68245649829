import { AppError } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/clock.ts";
import { addressKey, allowanceOf } from "../../contract/address-rates.ts";
import type { WebLimits } from "../config.ts";

export interface Storing {
  readonly visitor: string;
  readonly address: string;
  /** As they arrive. */
  readonly bytes: number;
  readonly kind: "message" | "file";
}

type Limits = Pick<WebLimits, "storedBytesPerVisitor" | "storedBytesPerAddress" | "storedBytes">;

interface Account {
  readonly key: string;
  readonly capacity: number;
  readonly whose: string;
}

/**
 * Bytes that may be stored within an hour: of a visitor, from an address, on the channel. Each refills steadily. Files
 * leave a part of each to messages, so that they are refused first. Counted in this process only.
 */
export class StorageBudget {
  readonly #limits: Limits;
  readonly #clock: Clock;
  /** By key, when its budget is whole again. In the order of use: the one that was idle longest is evicted first. */
  readonly #wholeAt = new Map<string, number>();

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Throws "rate-limited" or "too-large", with words for the visitor, if it would be too much. Takes nothing. */
  check(storing: Storing): void {
    const now = this.#clock.monotonic();
    const bytes = storedBytes(storing);
    const share = storing.kind === "file" ? FILE_SHARE : 1;
    for (const { key, capacity, whose } of this.#accounts(storing)) {
      if (bytes > capacity * share)
        throw new AppError("too-large", `larger than all that ${whose} may store in an hour`);
      const usedMs = Math.max(0, (this.#wholeAt.get(key) ?? 0) - now);
      const waitMs = usedMs + (bytes / capacity) * HOUR_MS - share * HOUR_MS;
      if (waitMs > 0) throw new AppError("rate-limited", words(whose, storing.kind, waitMs));
    }
  }

  /** Throws as `check` does; otherwise the bytes are counted, until the returned function gives them back. */
  take(storing: Storing): () => void {
    this.check(storing);
    const accounts = this.#accounts(storing);
    const bytes = storedBytes(storing);
    for (const account of accounts) this.#add(account, bytes);
    return () => {
      for (const account of accounts) this.#add(account, -bytes);
    };
  }

  #add({ key, capacity }: Account, bytes: number): void {
    const now = this.#clock.monotonic();
    const wholeAt = Math.max(this.#wholeAt.get(key) ?? 0, now) + (bytes / capacity) * HOUR_MS;
    this.#wholeAt.delete(key);
    this.#wholeAt.set(key, wholeAt);
    if (this.#wholeAt.size <= MAX_KEYS) return;
    for (const oldest of this.#wholeAt.keys()) {
      this.#wholeAt.delete(oldest);
      return;
    }
  }

  #accounts({ visitor, address }: Storing): Account[] {
    const { storedBytesPerVisitor, storedBytesPerAddress, storedBytes: ofChannel } = this.#limits;
    const ofAddress = storedBytesPerAddress * allowanceOf(address);
    return [
      { key: `visitor ${visitor}`, capacity: storedBytesPerVisitor, whose: "one visitor" },
      { key: `address ${addressKey(address)}`, capacity: ofAddress, whose: "one network address" },
      { key: "channel", capacity: ofChannel, whose: "all visitors together" },
    ];
  }
}

/** A message is stored for the agent and in the conversation's log; a file as base64. */
const storedBytes = ({ kind, bytes }: Storing): number => (kind === "message" ? 2 * bytes : Math.ceil((bytes * 4) / 3));

const words = (whose: string, kind: Storing["kind"], waitMs: number): string => {
  const minutes = Math.ceil(waitMs / 60_000);
  const soon = `try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}`;
  const hint = kind === "file" ? "; messages without files are still taken" : "";
  return `more than ${whose} may store in an hour: ${soon}${hint}`;
};

const HOUR_MS = 3_600_000;
const FILE_SHARE = 0.75;
/** A few megabytes at most. */
const MAX_KEYS = 50_000;
