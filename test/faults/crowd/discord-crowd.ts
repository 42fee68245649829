import { FakeDiscord } from "../../fakes/discord/fake-discord.ts";
import { smallPrintOf } from "../../fakes/discord/post-input.ts";
import type { FakeChannel } from "../../fakes/discord/world.ts";
import { conversationName, type Seen } from "../account/account.ts";
import type { ConnectionFault, PlatformFaultKind } from "../plan/fault.ts";
import type { Crowd, Surface } from "./crowd.ts";
import { NextFaults } from "./next-faults.ts";

const FAULTS = { "429": "rate-limited", "503": "unavailable", "lost answer": "answer-lost" } as const;

/** People in Discord: each in their private channel, and all in one room. */
export class DiscordCrowd implements Crowd {
  readonly tells = true;
  readonly nextFaults = new NextFaults<PlatformFaultKind>();
  readonly #discord: FakeDiscord;
  readonly #room: FakeChannel;
  #forgotten = 0;

  private constructor(discord: FakeDiscord) {
    this.#discord = discord;
    this.#room = discord.world.addRoom(discord.world.addGuild("harbour"));
    discord.rest.faultIn = ({ method, path }) => {
      const isPost = method !== "GET" && /^\/channels\/\d+\/messages/.test(path);
      const fault = isPost ? this.nextFaults.next() : undefined;
      return fault && FAULTS[fault];
    };
  }

  static async start(): Promise<DiscordCrowd> {
    return new DiscordCrowd(await FakeDiscord.start());
  }

  get config(): object {
    const { token, apiUrl } = this.#discord;
    return { adapter: "discord", botToken: token, apiUrl, access: { guilds: "*" } };
  }

  accountOf(person: string): string {
    return this.#discord.world.person(person).id;
  }

  /**
   * A gateway stores its first session and then requests the bot's commands; messages from then on are received, even
   * if another gateway takes over the connection. Earlier messages may be lost.
   */
  async connected(): Promise<void> {
    await this.#discord.rest.calls.until((calls) =>
      calls.some(({ path }) => /^\/applications\/\d+\/commands$/.test(path)),
    );
  }

  surfacesOf(person: string): readonly Surface[] {
    const { world } = this.#discord;
    const own = world.privateChannel(world.person(person));
    return [this.#surface(person, own, true), this.#surface(person, this.#room, false)];
  }

  seen(): readonly Seen[] {
    return this.#discord.posted.slice(this.#forgotten).map((message) => {
      const anchor = smallPrintOf(message).join(" ");
      const conversation = conversationName({ channel: "discord", room: message.channel_id });
      return { conversation, text: withoutSmallPrint(message.content), ...(anchor !== "" && { anchor }) };
    });
  }

  disturb(what: Extract<ConnectionFault, { on: "discord" }>["what"]): void {
    const { gateway } = this.#discord;
    if (what === "drop") gateway.drop();
    else if (what === "reconnect") gateway.askToReconnect();
    else gateway.invalidate(false);
  }

  forget(): void {
    this.#forgotten = this.#discord.posted.length;
  }

  stop(): Promise<void> {
    return this.#discord.stop();
  }

  /** Discord accepts the message at once; the product is responsible for receiving it. */
  #surface(person: string, channel: FakeChannel, isPrivate: boolean): Surface {
    return {
      conversation: conversationName({ channel: "discord", room: channel.id }),
      isPrivate,
      say: async (text, again) => {
        const said = this.#discord.say({ person, in: channel, text, mention: !isPrivate });
        if (again) this.#discord.gateway.dispatchMessage(said);
      },
    };
  }
}

const withoutSmallPrint = (content: string): string =>
  content
    .split("\n")
    .filter((line) => !line.startsWith("-# "))
    .join("\n");
