import type { RouteLike } from "discord.js";
import { DiscordAPIError, HTTPError, RateLimitError, REST } from "discord.js";
import type { z } from "zod";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { DeliveryFailure } from "../../contract/delivery-failed.ts";
import { DeliveryFailed, wasNeverSent } from "../../contract/delivery-failed.ts";
import type { ReadFile } from "../../contract/outgoing-file.ts";
import { multipart } from "./multipart.ts";

export interface RestDeps {
  readonly apiUrl: string;
  readonly token: string;
  readonly clock: Clock;
  readonly requestWithinMs: number;
}

type Method = "get" | "post" | "patch" | "put" | "delete";

export interface CallOptions {
  readonly body?: unknown;
  /** Sent beside the body, as multipart. */
  readonly files?: readonly ReadFile[];
  readonly query?: Readonly<Record<string, string>>;
  /** False for interaction responses, which authenticate by their own token. */
  readonly auth?: false;
}

/** Discord's REST API: no retries, no hidden waits for rate limits, and a timeout for each call. */
export class RestCalls {
  readonly #deps: RestDeps;
  readonly #rest: REST;
  readonly #inFlight = new Set<AbortController>();

  constructor(deps: RestDeps) {
    this.#deps = deps;
    const { apiUrl, requestWithinMs } = deps;
    this.#rest = new REST({
      api: apiUrl,
      version: "10",
      retries: 0,
      timeout: requestWithinMs,
      rejectOnRateLimit: () => true,
    });
  }

  /** Rejects with DeliveryFailed only. */
  async call(method: Method, route: RouteLike, { body, files, query, auth }: CallOptions = {}): Promise<unknown> {
    const { clock, requestWithinMs, token } = this.#deps;
    const controller = new AbortController();
    // The SDK's own timeout covers the headers only.
    const timer = clock.after(requestWithinMs, () => controller.abort());
    this.#inFlight.add(controller);
    // The SDK drops a token after one 401.
    this.#rest.setToken(token);
    try {
      return await this.#rest[method](route, {
        signal: controller.signal,
        ...(body !== undefined && { body }),
        ...(files !== undefined && files.length > 0 && multipart(body, files)),
        ...(query && { query: new URLSearchParams(query) }),
        ...(auth === false && { auth }),
      });
    } catch (error) {
      throw deliveryFailure(error);
    } finally {
      timer.cancel();
      this.#inFlight.delete(controller);
    }
  }

  async read<T>(schema: z.ZodType<T>, ...request: Parameters<RestCalls["call"]>): Promise<T> {
    const answer = schema.safeParse(await this.call(...request));
    if (answer.success) return answer.data;
    const cause = new AppError("internal", answer.error.message);
    throw new DeliveryFailed("unknown", "Discord's answer was not understood", { cause });
  }

  /** Aborts calls in progress; their outcome is then unknown. */
  abort(): void {
    for (const controller of this.#inFlight) controller.abort();
  }

  close(): void {
    this.abort();
    this.#rest.clearHashSweeper();
    this.#rest.clearHandlerSweeper();
  }
}

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes */
const KNOWN_CODES: Readonly<Record<number, readonly [DeliveryFailure, string]>> = {
  10003: ["target-gone", "the channel no longer exists"],
  10004: ["target-gone", "the server no longer exists, or the bot is not in it"],
  10008: ["target-gone", "the message no longer exists"],
  10013: ["target-gone", "the account no longer exists"],
  10015: ["target-gone", "the time limit for answering this command has passed"],
  10062: ["target-gone", "the time limit for answering this command has passed"],
  50027: ["target-gone", "the time limit for answering this command has passed"],
  40007: ["forbidden", "the bot is banned from this server"],
  50001: ["forbidden", "the bot cannot see this channel: give it the permission View Channel"],
  50007: [
    "forbidden",
    "this person does not accept direct messages from the bot; they can allow them in a shared server",
  ],
  50013: ["forbidden", "the bot lacks a permission here: give it Send Messages and Send Messages in Threads"],
  50083: ["forbidden", "the thread is archived: open it again"],
  50278: ["forbidden", "the bot and this person no longer share a server, so it may not write to them"],
  160005: ["forbidden", "the thread is locked: unlock it"],
};

/** Translates any request error into a DeliveryFailed. No error of the SDK leaves this folder. */
const deliveryFailure = (cause: unknown): DeliveryFailed => {
  if (cause instanceof DeliveryFailed) return cause;
  if (cause instanceof RateLimitError) {
    const askedMs = cause.retryAfter > 0 ? cause.retryAfter : cause.timeToReset;
    const retryAfterMs = Math.max(askedMs, MIN_PAUSE_MS);
    return new DeliveryFailed("rate-limited", "Discord's rate limit is reached", { retryAfterMs, cause });
  }
  if (cause instanceof DiscordAPIError) return refusal(cause);
  if (cause instanceof HTTPError) {
    return new DeliveryFailed("unknown", `Discord failed with ${cause.status}`, { cause });
  }
  if (wasNeverSent(cause)) {
    return new DeliveryFailed("unavailable", `Discord cannot be reached: ${messageOf(cause)}`, { cause });
  }
  return new DeliveryFailed("unknown", `Discord's answer was lost: ${messageOf(cause)}`, { cause });
};

const refusal = (cause: DiscordAPIError): DeliveryFailed => {
  const { status, code } = cause;
  const failed = (reason: DeliveryFailure, what: string) =>
    new DeliveryFailed(reason, typeof code === "number" && code > 0 ? `${what} (${code})` : what, { cause });
  if (status === 401) {
    return failed("unavailable", "Discord refuses the bot token: reset it in the developer portal and set botToken");
  }
  // Without a code the response is from a proxy or firewall in front of Discord.
  if (typeof code !== "number" || code === 0)
    return failed("unavailable", `a proxy or firewall in front of Discord answered ${status}`);
  const known = KNOWN_CODES[code];
  if (known) return failed(...known);
  if (status === 403) return failed("forbidden", `Discord forbids this to the bot: ${cause.message}`);
  if (status === 404) return failed("target-gone", `Discord no longer has it: ${cause.message}`);
  return failed("rejected", `Discord refused the request: ${cause.message}`);
};

const MIN_PAUSE_MS = 250;
