import { REST, type RouteLike } from "discord.js";
import type { z } from "zod";
import { AppError } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import { deliveryFailure } from "./delivery-failure.ts";

export interface RestParts {
  readonly apiUrl: string;
  readonly token: string;
  readonly clock: Clock;
  readonly requestWithinMs: number;
}

type Method = "get" | "post" | "patch" | "put" | "delete";

export interface CallOptions {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  /** Interactions are answered by their own token. */
  readonly auth?: false;
}

/** Discord's API. Nothing is tried twice here, no wait for a rate limit is hidden, and each call ends in time. */
export class RestCalls {
  readonly #parts: RestParts;
  readonly #rest: REST;
  readonly #underWay = new Set<AbortController>();

  constructor(parts: RestParts) {
    this.#parts = parts;
    const { apiUrl, requestWithinMs } = parts;
    this.#rest = new REST({
      api: apiUrl,
      version: "10",
      retries: 0,
      timeout: requestWithinMs,
      rejectOnRateLimit: () => true,
    });
  }

  /** Rejects with DeliveryFailed only. */
  async call(method: Method, route: RouteLike, { body, query, auth }: CallOptions = {}): Promise<unknown> {
    const { clock, requestWithinMs, token } = this.#parts;
    const controller = new AbortController();
    // The SDK's own time-out ends when the headers are there.
    const timer = clock.after(requestWithinMs, () => controller.abort());
    this.#underWay.add(controller);
    // The SDK forgets a token that was refused once.
    this.#rest.setToken(token);
    try {
      return await this.#rest[method](route, {
        signal: controller.signal,
        ...(body !== undefined && { body }),
        ...(query && { query: new URLSearchParams(query) }),
        ...(auth === false && { auth }),
      });
    } catch (error) {
      throw deliveryFailure(error);
    } finally {
      timer.cancel();
      this.#underWay.delete(controller);
    }
  }

  async read<T>(schema: z.ZodType<T>, ...request: Parameters<RestCalls["call"]>): Promise<T> {
    const answer = schema.safeParse(await this.call(...request));
    if (answer.success) return answer.data;
    const cause = new AppError("internal", answer.error.message);
    throw new DeliveryFailed("unknown", "Discord's answer was not understood", { cause });
  }

  /** Ends what is under way; its outcome is then unknown. */
  abort(): void {
    for (const controller of this.#underWay) controller.abort();
  }

  close(): void {
    this.abort();
    this.#rest.clearHashSweeper();
    this.#rest.clearHandlerSweeper();
  }
}
