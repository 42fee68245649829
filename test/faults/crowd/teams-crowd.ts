import { setTimeout as delay } from "node:timers/promises";
import { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import { teamsFaults } from "../../fakes/teams/fault.ts";
import { CHANNEL_ROOM, objectIdOf, privateRoomOf } from "../../fakes/teams/sent-activity.ts";
import { conversationName, type Seen } from "../account/account.ts";
import type { PlatformFaultKind } from "../plan/fault.ts";
import { AGAIN_AFTER_MS, type Crowd, type Surface } from "./crowd.ts";
import { NextFaults } from "./next-faults.ts";

const FAULTS = {
  "429": { ...teamsFaults.rateLimited, headers: { "retry-after": "1" } },
  "503": teamsFaults.unavailable,
  "lost answer": "cut-after-accept",
} as const;

/** People in Teams: each in their private chat, and in a thread of the channel. */
export class TeamsCrowd implements Crowd {
  readonly tells = false;
  readonly nextFaults = new NextFaults<PlatformFaultKind>();
  readonly #teams: FakeTeams;
  readonly #gateway: () => string;
  readonly #threads = new Map<string, string>();
  #forgotten = 0;

  private constructor(teams: FakeTeams, gateway: () => string) {
    this.#teams = teams;
    this.#gateway = gateway;
    teams.faultIn = (method, body) => {
      const isMessage = method !== "GET" && !body.includes('"type":"typing"');
      const fault = isMessage ? this.nextFaults.next() : undefined;
      return fault && FAULTS[fault];
    };
  }

  static async start(gateway: () => string): Promise<TeamsCrowd> {
    return new TeamsCrowd(await FakeTeams.start(), gateway);
  }

  get config(): object {
    return this.#teams.config;
  }

  accountOf(person: string): string {
    return objectIdOf(person);
  }

  surfacesOf(person: string): readonly Surface[] {
    const thread = this.#threads.get(person) ?? this.#teams.api.nextId();
    this.#threads.set(person, thread);
    return [
      {
        conversation: conversationName({ channel: "teams", room: privateRoomOf(person) }),
        isPrivate: true,
        say: (text, again) => this.#say({ person, text }, again),
      },
      {
        conversation: conversationName({ channel: "teams", room: CHANNEL_ROOM, thread }),
        isPrivate: false,
        say: (text, again) => this.#say({ person, text, conversationType: "channel", thread }, again),
      },
    ];
  }

  seen(): readonly Seen[] {
    return this.#teams.api.posts.items.slice(this.#forgotten).map(({ conversationId, activity }) => {
      const [room = "", thread] = conversationId.split(";messageid=");
      const cards = JSON.stringify(activity.attachments ?? []);
      const anchor = /(?:↳ Re:|scheduled · )[^{}]*/.exec(cards)?.[0];
      return {
        conversation: conversationName({ channel: "teams", room, ...(thread !== undefined && { thread }) }),
        text: `${activity.text ?? ""} ${anchor === undefined ? cards : ""}`.replaceAll(/<[^>]*>/g, " "),
        ...(anchor !== undefined && { anchor }),
      };
    });
  }

  forget(): void {
    this.#forgotten = this.#teams.api.posts.items.length;
  }

  stop(): Promise<void> {
    return this.#teams.stop();
  }

  async #say(said: Parameters<FakeTeams["say"]>[0], again: boolean): Promise<void> {
    const send = () => {
      this.#teams.endpoint = `${this.#gateway()}/channels/teams/messages`;
      return this.#teams.say({ ...said, id });
    };
    const id = this.#teams.api.nextId();
    while ((await send()) !== 200) await delay(AGAIN_AFTER_MS);
    if (again) await send();
  }
}
