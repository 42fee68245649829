import { Agent } from "node:http";
import { loopTimes, throughput } from "./measure.ts";
import { post } from "./post.ts";

export interface Posted {
  readonly headers: Record<string, string | number>;
  readonly body: string;
}

/** The number of people in a crowd. */
export const PEOPLE = 50;

/**
 * Many people who write at the same time; each message is a post of their platform that waits for its acknowledgement.
 */
export class PostingCrowd {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #url: string;
  readonly #messageBy: (person: number) => Posted;

  /** `messageBy` creates a new message each time. */
  constructor(url: string, messageBy: (person: number) => Posted) {
    this.#url = url;
    this.#messageBy = messageBy;
  }

  /** Messages acknowledged per second. */
  perSecond(count: number, inFlight: number): Promise<number> {
    return throughput(count, inFlight, (n) => this.#send(n));
  }

  /** Duration of each acknowledgement, in milliseconds. */
  times(count: number, inFlight: number): Promise<readonly number[]> {
    return loopTimes(count, inFlight, (lane) => this.#send(lane));
  }

  leave(): void {
    this.#agent.destroy();
  }

  #send(n: number): Promise<void> {
    const { headers, body } = this.#messageBy(n % PEOPLE);
    return post(this.#agent, this.#url, headers, body);
  }
}
