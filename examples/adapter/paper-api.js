import { DeliveryFailed } from "mooring/adapter";

/** The outbox waits 60 s for a delivery; a call ends well before that. */
const CALL_TIMEOUT_MS = 20_000;

/** Calls the HTTP API of the platform, and rejects with DeliveryFailed only. */
export class PaperApi {
  #url;
  #token;
  #ended = new AbortController();

  /** @param {string} url @param {string} token */
  constructor(url, token) {
    this.#url = url;
    this.#token = token;
  }

  /** Ends the calls under way. */
  abort() {
    this.#ended.abort();
    this.#ended = new AbortController();
  }

  /**
   * @param {"GET" | "POST" | "PUT" | "PATCH"} method
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<unknown>}
   */
  async call(method, path, body) {
    /** @type {Response} */
    let answer;
    try {
      answer = await fetch(new URL(path, this.#url), {
        method,
        headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(CALL_TIMEOUT_MS), this.#ended.signal]),
      });
      if (answer.ok) return await answer.json();
    } catch (cause) {
      throw wasNeverSent(cause)
        ? new DeliveryFailed("unavailable", "the platform cannot be reached", { cause })
        : new DeliveryFailed("unknown", "the platform's answer was lost", { cause });
    }
    throw failureOf(answer);
  }
}

/** @param {Response} answer */
const failureOf = ({ status, headers }) => {
  if (status === 429) {
    const retryAfterMs = Number(headers.get("retry-after") ?? 1) * 1_000;
    return new DeliveryFailed("rate-limited", "the platform asks to wait", { retryAfterMs });
  }
  if (status === 404) return new DeliveryFailed("target-gone", "the room or note no longer exists");
  if (status === 401 || status === 403) return new DeliveryFailed("forbidden", "the bot may not write in this room");
  if (status === 503) return new DeliveryFailed("unavailable", "the platform is down");
  // Any other server error may come after the note was posted.
  if (status >= 500) return new DeliveryFailed("unknown", `the platform failed with status ${status}`);
  return new DeliveryFailed("rejected", `the platform refused the note with status ${status}`);
};

/** @param {unknown} error */
const wasNeverSent = (error) =>
  error instanceof Error &&
  error.cause instanceof Error &&
  "code" in error.cause &&
  error.cause.code === "ECONNREFUSED";
