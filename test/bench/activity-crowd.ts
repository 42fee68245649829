import { Agent } from "node:http";
import type { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { messageBy } from "../fakes/teams/sent-activity.ts";
import { loopTimes, throughput } from "./measure.ts";
import { post } from "./post.ts";

const PEOPLE = 50;

/** Many people who write in Teams at once: every activity is new, has a genuine token, and is waited for. */
export class ActivityCrowd {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #teams: FakeTeams;
  readonly #url: string;
  readonly #authorization: string;
  #serial = 0;

  private constructor(teams: FakeTeams, url: string, token: string) {
    this.#teams = teams;
    this.#url = url;
    this.#authorization = `Bearer ${token}`;
  }

  /** One token for all, as the service has it for an hour: to sign one takes longer than to check it. */
  static async gather(teams: FakeTeams, url: string): Promise<ActivityCrowd> {
    for (let n = 0; n < PEOPLE; n++) teams.installIn("personal", `person${n}`);
    const { appId, serviceUrl, mint } = teams;
    return new ActivityCrowd(teams, url, await mint.token({ aud: appId, serviceurl: serviceUrl }));
  }

  /** Activities acknowledged per second. */
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
    const said = { person: `person${n % PEOPLE}`, text: "Please note this down." };
    const activity = messageBy(this.#teams, said, `bench-${++this.#serial}`);
    const headers = { "content-type": "application/json; charset=utf-8", authorization: this.#authorization };
    return post(this.#agent, this.#url, headers, JSON.stringify(activity));
  }
}
