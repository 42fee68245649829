import { importJWK } from "jose";
import { z } from "zod";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";

const FRESH_FOR_MS = 24 * 3_600_000;
/** During an outage of the key server old keys stay usable, but not for ever, because Microsoft may revoke one. */
const USABLE_FOR_MS = 3 * FRESH_FOR_MS;
/** Limits requests for unknown key ids, and still finds a new key soon. */
const REFETCH_AFTER_MS = 60_000;
const RETRY_AFTER_MS = 5_000;
const TIMEOUT_MS = 10_000;
const ENDORSEMENT = "msteams";

const Metadata = z.looseObject({ jwks_uri: z.string() });
const KeySet = z.looseObject({ keys: z.array(z.unknown()) });
const PublishedKey = z.looseObject({
  kty: z.literal("RSA"),
  kid: z.string().min(1),
  n: z.string(),
  e: z.string(),
  endorsements: z.array(z.string()).refine((names) => names.includes(ENDORSEMENT)),
});
type SigningKey = Awaited<ReturnType<typeof importJWK>>;

/** Cache of the keys that sign Teams' requests, fetched only from the configured address. */
export class SigningKeys {
  readonly #metadataUrl: string;
  readonly #clock: Pick<Clock, "monotonic">;
  #keys: ReadonlyMap<string, SigningKey> = new Map();
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #requestedAt = Number.NEGATIVE_INFINITY;
  /** Why the last request failed. */
  #failure: AppError | undefined;
  #fetching: Promise<void> | undefined;

  constructor(metadataUrl: string, clock: Pick<Clock, "monotonic">) {
    this.#metadataUrl = metadataUrl;
    this.#clock = clock;
  }

  /** Undefined if the key does not exist. Rejects with "unavailable" if the keys cannot be fetched. */
  async find(kid: string): Promise<SigningKey | undefined> {
    if (!this.#has(kid, FRESH_FOR_MS) && this.#mayFetch()) await this.refresh().catch(() => undefined);
    if (this.#has(kid, USABLE_FOR_MS)) return this.#keys.get(kid);
    if (this.#failure) throw this.#failure;
    return undefined;
  }

  /** Fetches now; concurrent callers share the request. */
  refresh(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  #has(kid: string, forMs: number): boolean {
    return this.#keys.has(kid) && this.#clock.monotonic() - this.#fetchedAt < forMs;
  }

  #mayFetch(): boolean {
    const pauseMs = this.#failure ? RETRY_AFTER_MS : REFETCH_AFTER_MS;
    return this.#fetching !== undefined || this.#clock.monotonic() - this.#requestedAt >= pauseMs;
  }

  async #fetch(): Promise<void> {
    this.#requestedAt = this.#clock.monotonic();
    try {
      this.#keys = await fetchKeys(this.#metadataUrl);
      this.#fetchedAt = this.#clock.monotonic();
      this.#failure = undefined;
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      this.#failure = new AppError(
        "unavailable",
        `the keys of Teams cannot be fetched from ${this.#metadataUrl}: ${messageOf(cause)}`,
        { cause },
      );
      throw this.#failure;
    }
  }
}

const fetchKeys = async (metadataUrl: string): Promise<ReadonlyMap<string, SigningKey>> => {
  const { jwks_uri } = await getJson(metadataUrl, Metadata);
  const keysUrl = new URL(jwks_uri, metadataUrl);
  if (keysUrl.origin !== new URL(metadataUrl).origin) throw new Error(`${metadataUrl} names keys on another host`);
  const { keys } = await getJson(keysUrl.href, KeySet);
  const imported = await Promise.all(keys.map(importKey));
  const usable = new Map(imported.filter((key) => key !== undefined));
  if (usable.size === 0) throw new Error(`${keysUrl.href} has no key that is endorsed for Teams`);
  return usable;
};

/** Skips an unusable key, because the others still sign requests. */
const importKey = async (published: unknown): Promise<[string, SigningKey] | undefined> => {
  const key = PublishedKey.safeParse(published);
  if (!key.success) return undefined;
  const { kty, kid, n, e } = key.data;
  try {
    return [kid, await importJWK({ kty, n, e }, "RS256")];
  } catch {
    return undefined;
  }
};

const getJson = async <T>(url: string, schema: z.ZodType<T>): Promise<T> => {
  const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${url} answers with status ${answer.status}`);
  const read = schema.safeParse(await answer.json());
  if (!read.success) throw new Error(`${url} has an unexpected form`);
  return read.data;
};
