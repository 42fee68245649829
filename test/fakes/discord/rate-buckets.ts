import { createHash } from "node:crypto";

export interface BucketAnswer {
  readonly allowed: boolean;
  readonly headers: Record<string, string>;
  readonly retryAfter: number;
}

/** Discord's rate limits: a number of calls per route and channel in a time window, reported in headers. */
export class RateBuckets {
  limit = 1_000;
  windowMs = 1_000;
  readonly #used = new Map<string, { count: number; resetAt: number }>();

  take(method: string, path: string): BucketAnswer {
    const major = /^\/(?:channels|guilds|webhooks)\/(\d+)/.exec(path)?.[1] ?? "global";
    const route = `${method} ${path.replace(/\d{17,19}/g, ":id")}`;
    const key = `${route} ${major}`;
    const now = Date.now();
    let used = this.#used.get(key);
    if (used === undefined || used.resetAt <= now) used = { count: 0, resetAt: now + this.windowMs };
    this.#used.set(key, used);
    const allowed = used.count < this.limit;
    if (allowed) used.count++;
    const retryAfter = (used.resetAt - now) / 1_000;
    const headers = {
      "x-ratelimit-limit": String(this.limit),
      "x-ratelimit-remaining": String(this.limit - used.count),
      "x-ratelimit-reset-after": retryAfter.toFixed(3),
      "x-ratelimit-bucket": createHash("md5").update(route).digest("hex"),
    };
    return { allowed, headers, retryAfter };
  }
}
