import type { RouteLike } from "discord.js";
import { REST } from "discord.js";
import type { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { deliveryFailure } from "./failure.ts";

export interface RestDeps {
  readonly apiUrl: string;
  readonly token: string;
  readonly clock: Clock;
  readonly requestWithinMs: number;
}

type Method = "get" | "post" | "patch" | "put" | "delete";

export interface CallOptions {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  /** False for interaction responses, which authenticate by their own token. */
  readonly auth?: false;
}

/** Discord's REST API: no retries, no hidden waits for rate limits, and a timeout for each call. */
export class RestCalls {
  readonly #deps: RestDeps;
  readonly #rest: REST;
  readonly #underWay = new Set<AbortController>();

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
  async call(method: Method, route: RouteLike, { body, query, auth }: CallOptions = {}): Promise<unknown> {
    const { clock, requestWithinMs, token } = this.#deps;
    const controller = new AbortController();
    // The SDK's own timeout covers the headers only.
    const timer = clock.after(requestWithinMs, () => controller.abort());
    this.#underWay.add(controller);
    // The SDK drops a token after one 401.
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

  /** Aborts calls in progress; their outcome is then unknown. */
  abort(): void {
    for (const controller of this.#underWay) controller.abort();
  }

  close(): void {
    this.abort();
    this.#rest.clearHashSweeper();
    this.#rest.clearHandlerSweeper();
  }
}
