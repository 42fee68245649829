import { importJWK } from "jose";
import { z } from "zod";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";

const KEPT_FOR_MS = 24 * 3_600_000;
/** So that made-up key ids cannot make us ask all the time, and a new key is known soon. */
const ASK_AGAIN_AFTER_MS = 60_000;
const PATIENCE_MS = 10_000;
const ENDORSEMENT = "msteams";

const Metadata = z.looseObject({ jwks_uri: z.string() });
const KeySet = z.looseObject({
  keys: z.array(
    z.looseObject({
      kty: z.string(),
      kid: z.string().optional(),
      n: z.string().optional(),
      e: z.string().optional(),
      endorsements: z.array(z.string()).optional(),
    }),
  ),
});
type SigningKey = Awaited<ReturnType<typeof importJWK>>;

/** The keys that sign Teams' requests, from the configured address and nowhere else. */
export class SigningKeys {
  readonly #metadataUrl: string;
  readonly #clock: Pick<Clock, "monotonic">;
  #keys: ReadonlyMap<string, SigningKey> = new Map();
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(metadataUrl: string, clock: Pick<Clock, "monotonic">) {
    this.#metadataUrl = metadataUrl;
    this.#clock = clock;
  }

  /** Nothing: no such key. Rejects with "unavailable" if that cannot be known now. */
  async find(kid: string): Promise<SigningKey | undefined> {
    const now = this.#clock.monotonic();
    const fresh = now - this.#fetchedAt < KEPT_FOR_MS;
    const known = this.#keys.get(kid);
    if (known && fresh) return known;
    if (!fresh || now - this.#askedAt >= ASK_AGAIN_AFTER_MS) {
      try {
        await this.refresh();
      } catch (error) {
        // a key that was good a day ago is better than no answer at all
        if (known) return known;
        throw error;
      }
    }
    return this.#keys.get(kid);
  }

  /** Asks now; requests that come meanwhile share the answer. */
  refresh(): Promise<void> {
    this.#asking ??= this.#fetchKeys().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #fetchKeys(): Promise<void> {
    this.#askedAt = this.#clock.monotonic();
    const { jwks_uri } = await getJson(this.#metadataUrl, Metadata);
    const keysUrl = new URL(jwks_uri, this.#metadataUrl);
    if (keysUrl.origin !== new URL(this.#metadataUrl).origin) {
      throw new AppError("unavailable", "openIdMetadataUrl names keys on another host; they are not fetched");
    }
    const { keys } = await getJson(keysUrl.href, KeySet);
    const usable = keys.filter(({ kty, endorsements }) => kty === "RSA" && endorsements?.includes(ENDORSEMENT));
    if (usable.length === 0) throw new AppError("unavailable", `${keysUrl.href} has no key that is endorsed for Teams`);
    const imported = await Promise.all(
      usable.map(
        async ({ kid, n, e }) => [kid ?? "", await importJWK({ kty: "RSA", n, e } as RsaKey, "RS256")] as const,
      ),
    );
    this.#keys = new Map(imported);
    this.#fetchedAt = this.#clock.monotonic();
  }
}

type RsaKey = { kty: "RSA"; n: string; e: string };

const getJson = async <T>(url: string, schema: z.ZodType<T>): Promise<T> => {
  try {
    const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const read = schema.safeParse(await answer.json());
    if (!read.success) throw new Error("it is not what was expected there");
    return read.data;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new AppError("unavailable", `the keys of Teams cannot be fetched from ${url}: ${messageOf(cause)}`, {
      cause,
    });
  }
};
