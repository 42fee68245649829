import { setTimeout as delay } from "node:timers/promises";
import { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import type { SlackMessage } from "../../fakes/slack/slack-world.ts";
import { conversationName, type Seen } from "../account/account.ts";
import type { PlatformFaultKind } from "../plan/fault.ts";
import { AGAIN_AFTER_MS, type Crowd, type Surface } from "./crowd.ts";
import { NextFaults } from "./next-faults.ts";

const ROOM = "C0LOBBY";
const FAULTS = { "429": "429", "503": "503", "lost answer": "cut-after-accept" } as const;

/** People in Slack: each in their direct messages, and in a thread of the lobby. */
export class SlackCrowd implements Crowd {
  readonly tells = true;
  readonly nextFaults = new NextFaults<PlatformFaultKind>();
  readonly #slack: FakeSlack;
  readonly #gateway: () => string;
  readonly #surfaces = new Map<string, readonly Surface[]>();
  #forgotten = 0;

  private constructor(slack: FakeSlack, gateway: () => string) {
    this.#slack = slack;
    this.#gateway = gateway;
    slack.faultIn = (method) => {
      const fault = /^chat\.(postMessage|update)$/.test(method) ? this.nextFaults.next() : undefined;
      return fault && FAULTS[fault];
    };
  }

  /** `gateway` returns the address of a running gateway, another one each time. */
  static async start(gateway: () => string): Promise<SlackCrowd> {
    return new SlackCrowd(await FakeSlack.start(), gateway);
  }

  get config(): object {
    const { botToken, apiUrl, signingSecret } = this.#slack;
    return { adapter: "slack", botToken, apiUrl, signingSecret };
  }

  accountOf(person: string): string {
    const id = `U0${person.toUpperCase()}`;
    if (!this.#slack.world.users.has(id)) this.#slack.world.addUser({ id, name: person });
    return id;
  }

  surfacesOf(person: string): readonly Surface[] {
    const user = this.accountOf(person);
    const known = this.#surfaces.get(person);
    if (known !== undefined) return known;
    const room = this.#slack.world.directRoomOf(user);
    const thread = this.#slack.world.nextTs();
    const surfaces = [
      {
        conversation: conversationName({ channel: "slack", room }),
        isPrivate: true,
        say: this.#writer({ user, room }),
      },
      {
        conversation: conversationName({ channel: "slack", room: ROOM, thread }),
        isPrivate: false,
        say: this.#writer({ user, room: ROOM, thread }),
      },
    ];
    this.#surfaces.set(person, surfaces);
    return surfaces;
  }

  seen(): readonly Seen[] {
    return this.#slack.posted.slice(this.#forgotten).map((message) => {
      const { room, thread, text } = message;
      const anchor = anchorOf(message);
      const conversation = conversationName({ channel: "slack", room, ...(thread !== undefined && { thread }) });
      return { conversation, text, ...(anchor !== undefined && { anchor }) };
    });
  }

  forget(): void {
    this.#forgotten = this.#slack.posted.length;
  }

  stop(): Promise<void> {
    return this.#slack.stop();
  }

  #writer({ user, room, thread }: { user: string; room: string; thread?: string }): Surface["say"] {
    return async (text, again) => {
      const isDirect = thread === undefined;
      const saying = {
        user,
        room,
        ts: this.#slack.world.nextTs(),
        ...(isDirect
          ? { text }
          : { text: `<@${this.#slack.world.botUserId}> ${text}`, thread, as: "app_mention" as const }),
      };
      const send = (num: number) => {
        this.#slack.sendEventsTo(`${this.#gateway()}/channels/slack/events`);
        return this.#slack.say({ ...saying, ...(num > 0 && { retry: { num, reason: "http_error" } }) });
      };
      let tries = 0;
      while ((await send(tries++)).answer !== "acknowledged") await delay(AGAIN_AFTER_MS);
      if (again) await send(tries);
    };
  }
}

const anchorOf = ({ blocks }: SlackMessage): string | undefined => {
  const contexts = blocks.filter(({ type }) => type === "context").map((block) => JSON.stringify(block));
  return contexts.find((block) => /↳ Re:|scheduled · /.test(block));
};
