import { AppError } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { addressKey, allowanceOf, type RateShare } from "../../contract/rate-limit.ts";
import type { WebLimits } from "../config.ts";
import type { LeasedBytes } from "./leased-bytes.ts";

export interface StorageRequest {
  readonly visitor: string;
  readonly address: string;
  /** Size on arrival, before encoding. */
  readonly bytes: number;
  readonly kind: "message" | "file";
}

type Limits = Pick<WebLimits, "storedBytesPerVisitor" | "storedBytesPerAddress" | "storedBytes">;

interface Account {
  readonly key: string;
  readonly capacity: number;
  readonly scope: string;
}

/** A limit over all gateways. */
export interface SharedLimit {
  readonly leased: Pick<LeasedBytes, "take" | "refund">;
  readonly scope: string;
}

/**
 * Limits the bytes stored within an hour, per visitor, per address and per channel. Each budget refills steadily. Files
 * may use only a part of each, so they are refused before messages. Gateways share the limits of channel and tenant
 * exactly, those of visitors and addresses by signals.
 */
export class StorageBudget {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #shared: readonly SharedLimit[];
  readonly #share: RateShare | undefined;
  /** When each budget will be full again. In order of use: the least recently used is evicted first. */
  readonly #fullAt = new Map<string, number>();

  constructor(limits: Limits, clock: Clock, shared: readonly SharedLimit[] = [], share?: RateShare) {
    this.#limits = limits;
    this.#clock = clock;
    this.#shared = shared;
    this.#share = share;
    share?.onAnnounced((key, ms) => this.#addTime(key, ms));
  }

  /** Throws "rate-limited" or "too-large", with a text for the visitor. Counts nothing. */
  check(request: StorageRequest): void {
    const now = this.#clock.monotonic();
    const bytes = storedBytes(request);
    const share = request.kind === "file" ? FILE_SHARE : 1;
    for (const { key, capacity, scope } of this.#accounts(request)) {
      if (bytes > capacity * share) throw new AppError("too-large", `larger than the hourly storage limit ${scope}`);
      const usedMs = Math.max(0, (this.#fullAt.get(key) ?? 0) - now);
      const waitMs = usedMs + (bytes / capacity) * HOUR_MS - share * HOUR_MS;
      if (waitMs > 0) throw new AppError("rate-limited", refusalText(scope, request.kind, waitMs));
    }
  }

  /** Throws like `check`; otherwise counts the bytes. The returned function refunds them. */
  take(request: StorageRequest): () => void {
    this.check(request);
    const accounts = this.#accounts(request);
    const bytes = storedBytes(request);
    for (const account of accounts) this.#add(account, bytes);
    return () => {
      for (const account of accounts) this.#add(account, -bytes);
    };
  }

  /** As `take`, and also within the limits that all gateways share. */
  async reserve(request: StorageRequest): Promise<() => void> {
    const undo = [this.take(request)];
    const refund = () => {
      for (const each of undo) each();
    };
    const bytes = storedBytes(request);
    try {
      for (const { leased, scope } of this.#shared) {
        const waitMs = await leased.take(bytes, request.kind === "file" ? FILE_SHARE : 1);
        if (waitMs > 0) throw new AppError("rate-limited", refusalText(scope, request.kind, waitMs));
        undo.push(() => leased.refund(bytes));
      }
    } catch (error) {
      refund();
      throw error;
    }
    return refund;
  }

  #add({ key, capacity }: Account, bytes: number): void {
    const ms = (bytes / capacity) * HOUR_MS;
    this.#addTime(key, ms);
    if (key !== CHANNEL) this.#share?.announce(key, ms);
  }

  #addTime(key: string, ms: number): void {
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, this.#clock.monotonic()) + ms;
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    if (this.#fullAt.size <= MAX_KEYS) return;
    for (const oldest of this.#fullAt.keys()) {
      this.#fullAt.delete(oldest);
      return;
    }
  }

  #accounts({ visitor, address }: StorageRequest): Account[] {
    const { storedBytesPerVisitor, storedBytesPerAddress, storedBytes: ofChannel } = this.#limits;
    const ofAddress = storedBytesPerAddress * allowanceOf(address);
    return [
      { key: `visitor ${visitor}`, capacity: storedBytesPerVisitor, scope: "per visitor" },
      { key: `address ${addressKey(address)}`, capacity: ofAddress, scope: "per network address" },
      { key: CHANNEL, capacity: ofChannel, scope: "for all visitors" },
    ];
  }
}

/** A message is stored twice, for the agent and in the log; a file as base64. */
const storedBytes = ({ kind, bytes }: StorageRequest): number =>
  kind === "message" ? 2 * bytes : Math.ceil((bytes * 4) / 3);

const refusalText = (scope: string, kind: StorageRequest["kind"], waitMs: number): string => {
  const minutes = Math.ceil(waitMs / 60_000);
  const soon = `try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}`;
  const hint = kind === "file" ? "; messages without files are still accepted" : "";
  return `the hourly storage limit ${scope} is reached: ${soon}${hint}`;
};

const CHANNEL = "channel";
const HOUR_MS = 3_600_000;
const FILE_SHARE = 0.75;
/** A few megabytes at most. */
const MAX_KEYS = 50_000;
