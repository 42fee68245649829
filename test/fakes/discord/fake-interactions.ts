import { randomUUID } from "node:crypto";
import { z } from "zod";
import { Recorder } from "../recorder.ts";
import type { Route } from "./fake-rest.ts";
import { refusal } from "./fake-rest.ts";
import { PostInput } from "./post-input.ts";
import type { FakeChannel, FakeUser, World } from "./world.ts";

const EPHEMERAL = 64;

/** An interaction as its person sees it. */
export interface FakeInteraction {
  readonly id: string;
  readonly token: string;
  readonly channelId: string;
  readonly personId: string;
  /** Times of creation and acknowledgement, in milliseconds. */
  readonly madeAt: number;
  acknowledgedAt: number | undefined;
  ephemeral: boolean;
  /** Discord shows "is thinking". */
  thinking: boolean;
  /** The answers, in order. */
  readonly answers: { id: string; content: string; components: readonly unknown[] }[];
}

const CallbackInput = z.discriminatedUnion("type", [
  z.object({ type: z.literal(4), data: PostInput }),
  z.object({ type: z.literal(5), data: z.object({ flags: z.number().optional() }).default({}) }),
]);

/** The API of slash commands and buttons. */
export class FakeInteractions {
  readonly all: FakeInteraction[] = [];
  /** The language of the person's app. */
  locale = "en-GB";
  readonly changes = new Recorder<FakeInteraction>();
  readonly #world: World;
  readonly #dispatch: (t: string, d: unknown) => void;

  constructor(world: World, dispatch: (t: string, d: unknown) => void) {
    this.#world = world;
    this.#dispatch = dispatch;
  }

  make(person: FakeUser, channel: FakeChannel, what: object): FakeInteraction {
    const interaction: FakeInteraction = {
      id: this.#world.ids.next(),
      token: randomUUID(),
      channelId: channel.id,
      personId: person.id,
      madeAt: Date.now(),
      acknowledgedAt: undefined,
      ephemeral: false,
      thinking: false,
      answers: [],
    };
    this.all.push(interaction);
    const { recipient: _, refuses: __, ...shown } = channel;
    const inGuild = channel.guild_id !== undefined;
    this.#dispatch("INTERACTION_CREATE", {
      id: interaction.id,
      token: interaction.token,
      application_id: this.#world.applicationId,
      version: 1,
      channel_id: channel.id,
      channel: shown,
      locale: this.locale,
      ...(inGuild ? { guild_id: channel.guild_id, member: { user: person, nick: null } } : { user: person }),
      ...what,
    });
    return interaction;
  }

  readonly routes: readonly Route[] = [
    [
      "POST",
      /^\/interactions\/(\d+)\/([^/]+)\/callback$/,
      ({ body }, id = "", token = "") => {
        const interaction = this.all.find((each) => each.id === id && each.token === token);
        if (interaction === undefined) return refusal(404, 10_062, "Unknown interaction");
        if (interaction.acknowledgedAt !== undefined) return refusal(400, 40_060, "Already acknowledged");
        const input = CallbackInput.safeParse(body);
        if (!input.success) return refusal(400, 50_035, "Invalid Form Body");
        interaction.acknowledgedAt = Date.now();
        interaction.ephemeral = ((input.data.data.flags ?? 0) & EPHEMERAL) !== 0;
        if (input.data.type === 4) this.#say(interaction, input.data.data);
        else interaction.thinking = true;
        this.changes.add(interaction);
        return { status: 204 };
      },
    ],
    [
      "PATCH",
      /^\/webhooks\/(\d+)\/([^/]+)\/messages\/@original$/,
      ({ body }, _application = "", token = "") => {
        const interaction = this.#open(token);
        if (interaction === undefined) return refusal(404, 10_015, "Unknown Webhook");
        const input = PostInput.safeParse(body);
        if (!input.success) return refusal(400, 50_035, "Invalid Form Body");
        const [first] = interaction.answers;
        interaction.thinking = false;
        const answer = first ? Object.assign(first, input.data) : this.#say(interaction, input.data);
        this.changes.add(interaction);
        return { status: 200, body: { id: answer.id } };
      },
    ],
    [
      "DELETE",
      /^\/webhooks\/(\d+)\/([^/]+)\/messages\/@original$/,
      (_call, _application = "", token = "") => {
        const interaction = this.#open(token);
        if (interaction === undefined) return refusal(404, 10_015, "Unknown Webhook");
        interaction.thinking = false;
        this.changes.add(interaction);
        return { status: 204 };
      },
    ],
    [
      "POST",
      /^\/webhooks\/(\d+)\/([^/]+)$/,
      ({ body }, _application = "", token = "") => {
        const interaction = this.#open(token);
        if (interaction === undefined) return refusal(404, 10_015, "Unknown Webhook");
        const input = PostInput.safeParse(body);
        if (!input.success) return refusal(400, 50_035, "Invalid Form Body");
        const answer = this.#say(interaction, input.data);
        this.changes.add(interaction);
        return { status: 200, body: { id: answer.id } };
      },
    ],
  ];

  /** Ends the time limit of an interaction; Discord accepts answers for 15 minutes. */
  expire(interaction: FakeInteraction): void {
    this.all.splice(this.all.indexOf(interaction), 1);
  }

  #open(token: string): FakeInteraction | undefined {
    return this.all.find((each) => each.token === token && each.acknowledgedAt !== undefined);
  }

  #say(interaction: FakeInteraction, { content, components }: PostInput) {
    const answer = { id: this.#world.ids.next(), content, components };
    interaction.answers.push(answer);
    return answer;
  }
}
