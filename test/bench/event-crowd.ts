import { Agent } from "node:http";
import { asJson, signatureOf } from "../fakes/slack/event-posts.ts";
import { envelopeOf, messageEvent } from "../fakes/slack/payloads.ts";
import type { SlackWorld } from "../fakes/slack/slack-world.ts";
import { loopTimes, throughput } from "./measure.ts";
import { post } from "./post.ts";

const PEOPLE = 50;

/** Many people who write at once: every event is new, signed, and waited for. */
export class EventCrowd {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #world: SlackWorld;
  readonly #url: string;
  readonly #secret: string;

  constructor(world: SlackWorld, url: string, secret: string) {
    this.#world = world;
    this.#url = url;
    this.#secret = secret;
    for (let n = 0; n < PEOPLE; n++) world.addUser({ id: `U0${n}`, name: `person ${n}` });
  }

  /** Events acknowledged per second. */
  perSecond(count: number, inFlight: number): Promise<number> {
    return throughput(count, inFlight, (n) => this.#send(n));
  }

  /** How long each acknowledgement took, in milliseconds. */
  times(count: number, inFlight: number): Promise<readonly number[]> {
    return loopTimes(count, inFlight, (lane) => this.#send(lane));
  }

  leave(): void {
    this.#agent.destroy();
  }

  #send(n: number): Promise<void> {
    const user = `U0${n % PEOPLE}`;
    const words = {
      user,
      room: this.#world.directRoomOf(user),
      text: "Please note this down.",
      ts: this.#world.nextTs(),
    };
    const { body, contentType } = asJson(envelopeOf(this.#world, messageEvent(this.#world, words), `Ev${words.ts}`));
    const at = Math.floor(Date.now() / 1_000);
    const headers = {
      "content-type": contentType,
      "x-slack-request-timestamp": at,
      "x-slack-signature": signatureOf(this.#secret, at, body),
    };
    return post(this.#agent, this.#url, headers, body);
  }
}
