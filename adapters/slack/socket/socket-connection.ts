import { SocketModeReceiver } from "@slack/bolt";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import { sdkLogger, type WebApiOptions, webApiOptions } from "../web-api.ts";

/** One event on the socket. Slack redelivers it unless it is acknowledged. */
export interface Envelope {
  readonly body: unknown;
  acknowledge(answer?: Record<string, unknown>): Promise<void>;
}

export interface SocketConnectionDeps {
  readonly appToken: string;
  readonly api: WebApiOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly helloMs: number;
  received(envelope: Envelope): void;
  closed(): void;
}

const CLOSE_TIMEOUT_MS = 1_000;

/**
 * One socket connection. A failed reconnect of the SDK is an unhandled rejection, so the SDK never reconnects: each
 * connection is a new client, and the supervisor opens the next one.
 */
export class SocketConnection {
  readonly #deps: SocketConnectionDeps;
  readonly #client: SocketModeReceiver["client"];
  #isOpen = false;
  #hasEnded = false;

  constructor(deps: SocketConnectionDeps) {
    this.#deps = deps;
    const { appToken, api, logger } = deps;
    // Bolt exports its Socket Mode client only through this class.
    this.#client = new SocketModeReceiver({
      appToken,
      autoReconnectEnabled: false,
      logger: sdkLogger(logger),
      installerOptions: { clientOptions: webApiOptions(api) },
    }).client;
    this.#guardFrames();
    this.#client.on("slack_event", ({ body, ack }: { body: unknown; ack: Envelope["acknowledge"] }) =>
      deps.received({ body, acknowledge: ack }),
    );
    this.#client.on("disconnected", () => this.#ended());
  }

  /** Resolves on Slack's hello. */
  async open(): Promise<void> {
    const { clock, helloMs } = this.#deps;
    const late = new Promise<never>((_, reject) => {
      const timer = clock.after(helloMs, () =>
        reject(new AppError("unavailable", `Slack sent no hello message within ${helloMs} ms`)),
      );
      this.#client.once("connected", () => timer.cancel());
      this.#client.once("disconnected", () => timer.cancel());
    });
    try {
      await Promise.race([this.#client.start(), late]);
      this.#isOpen = true;
    } catch (error) {
      void this.close();
      // The SDK rejects with undefined if the socket ends before the hello.
      throw error ?? new AppError("unavailable", "Slack closed the socket before its hello message");
    }
  }

  /** Bounded in time: the second call terminates a socket whose peer does not answer the close. */
  async close(): Promise<void> {
    this.#hasEnded = true;
    const closing = this.#client.disconnect();
    const timer = this.#deps.clock.after(CLOSE_TIMEOUT_MS, () => void this.#client.disconnect());
    await closing;
    timer.cancel();
  }

  #ended(): void {
    if (this.#hasEnded || !this.#isOpen) return;
    this.#hasEnded = true;
    this.#deps.closed();
  }

  /** The SDK's handler is async and rejects for a frame without the fields it expects; the SDK leaves that unhandled. */
  #guardFrames(): void {
    const handlers = this.#client.listeners("ws_message");
    this.#client.removeAllListeners("ws_message");
    this.#client.on("ws_message", (...frame: unknown[]) => {
      for (const handle of handlers) {
        Promise.resolve(Reflect.apply(handle, this.#client, frame)).catch((error: unknown) =>
          this.#deps.logger.warn({ error: messageOf(error) }, "malformed Slack frame ignored"),
        );
      }
    });
  }
}
