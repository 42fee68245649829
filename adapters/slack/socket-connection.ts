import { SocketModeReceiver } from "@slack/bolt";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { Logger } from "../../core/contract/logger.ts";
import type { WebApiOptions } from "./web-api.ts";
import { sdkLogger, webApiOptions } from "./web-api.ts";

/** One thing that Slack sends over the socket. It sends it again, later, unless it is acknowledged. */
export interface Envelope {
  readonly body: unknown;
  acknowledge(answer?: Record<string, unknown>): Promise<void>;
}

export interface SocketConnectionParts {
  readonly appToken: string;
  readonly api: WebApiOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly helloMs: number;
  received(envelope: Envelope): void;
  closed(): void;
}

const GOODBYE_MS = 1_000;

/**
 * One socket, from its ticket to its end. The SDK could reconnect by itself, but a reconnect that fails there is an
 * unhandled rejection: so each connection is a new client, and whoever supervises it opens the next one.
 */
export class SocketConnection {
  readonly #parts: SocketConnectionParts;
  readonly #client: SocketModeReceiver["client"];
  #isOpen = false;
  #isOver = false;

  constructor(parts: SocketConnectionParts) {
    this.#parts = parts;
    const { appToken, api, logger } = parts;
    // It is the only way that Bolt exports its Socket Mode client.
    this.#client = new SocketModeReceiver({
      appToken,
      autoReconnectEnabled: false,
      logger: sdkLogger(logger),
      installerOptions: { clientOptions: webApiOptions(api) },
    }).client;
    this.#guardFrames();
    this.#client.on("slack_event", ({ body, ack }: { body: unknown; ack: Envelope["acknowledge"] }) =>
      parts.received({ body, acknowledge: ack }),
    );
    this.#client.on("disconnected", () => this.#ended());
  }

  /** Resolves when Slack has said hello. */
  async open(): Promise<void> {
    const { clock, helloMs } = this.#parts;
    const late = new Promise<never>((_, reject) => {
      const timer = clock.after(helloMs, () => reject(new AppError("unavailable", `no hello within ${helloMs} ms`)));
      this.#client.once("connected", () => timer.cancel());
      this.#client.once("disconnected", () => timer.cancel());
    });
    try {
      await Promise.race([this.#client.start(), late]);
      this.#isOpen = true;
    } catch (error) {
      void this.close();
      // The SDK rejects with nothing if the socket ends before the hello.
      throw error ?? new AppError("unavailable", "Slack closed the socket before it said hello");
    }
  }

  /** Bounded: a peer that does not answer the goodbye is cut off. */
  async close(): Promise<void> {
    this.#isOver = true;
    const goodbye = this.#client.disconnect();
    const timer = this.#parts.clock.after(GOODBYE_MS, () => void this.#client.disconnect());
    await goodbye;
    timer.cancel();
  }

  #ended(): void {
    if (this.#isOver || !this.#isOpen) return;
    this.#isOver = true;
    this.#parts.closed();
  }

  /** The SDK's own handler is async and rejects for a frame without the fields it expects; nobody catches that. */
  #guardFrames(): void {
    const handlers = this.#client.listeners("ws_message");
    this.#client.removeAllListeners("ws_message");
    this.#client.on("ws_message", (...frame: unknown[]) => {
      for (const handle of handlers) {
        Promise.resolve(Reflect.apply(handle, this.#client, frame)).catch((error: unknown) =>
          this.#parts.logger.warn({ error: messageOf(error) }, "ignored a malformed frame from Slack"),
        );
      }
    });
  }
}
