import type { NatsConnection, PublishOptions } from "nats";

export interface Publication {
  readonly subject: string;
  readonly data?: Uint8Array | string;
  readonly options?: PublishOptions;
  /** The client refused it: the connection has ended, or the message is too large. */
  failed?(error: unknown): void;
}

/**
 * Batches the publications of one connection: those of one pass of the event loop leave in one socket write, which costs
 * this process and the server less than the client's eager writes.
 */
export class Outgoing {
  readonly #nc: NatsConnection;
  #waiting: Publication[] = [];

  constructor(nc: NatsConnection) {
    this.#nc = nc;
  }

  send(publication: Publication): void {
    if (this.#waiting.push(publication) === 1) setImmediate(() => this.flush());
  }

  /** Hands all waiting publications to the client now. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { subject, data, options, failed } of waiting) {
      try {
        this.#nc.publish(subject, data, options);
      } catch (error) {
        failed?.(error);
      }
    }
  }
}
