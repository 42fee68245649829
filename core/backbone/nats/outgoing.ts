import type { NatsConnection, PublishOptions } from "nats";

export interface Publication {
  readonly subject: string;
  readonly data?: Uint8Array | string;
  readonly options?: PublishOptions;
  /** The client did not take it: the connection has ended, or it is too large. */
  failed?(error: unknown): void;
}

/**
 * What is published on one connection. The client writes to its socket at every chance it gets; here all that comes up in
 * one turn of the event loop leaves in one write, which is cheaper for this process and for the server.
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

  /** Hands all of it to the client now. */
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
