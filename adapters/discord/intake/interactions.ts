import { isDeepStrictEqual } from "node:util";
import { Routes } from "discord.js";
import { z } from "zod";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { MenuCommand } from "../../../core/contract/menu-command.ts";
import { Unwritable } from "../../../core/contract/ports/backbone.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import { type Texts, textsFor } from "../../../core/contract/texts/texts.ts";
import { errorText } from "../../../core/contract/texts/told-error.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Inbox } from "../../contract/channel-adapter.ts";
import type { KeyedQueue } from "../../contract/keyed-queue.ts";
import { pause } from "../../contract/pause.ts";
import type { OpenInteractions } from "../api/open-interactions.ts";
import type { RestCalls } from "../api/rest-calls.ts";
import type { DiscordTiming } from "../api/timing.ts";
import { interactionMessage, interactionMessageId } from "../inbound.ts";
import { DiscordInteraction, InteractionEnvelope } from "../payload.ts";
import { pressedAction } from "../render.ts";
import type { DiscordAccessCheck } from "./access.ts";
import type { ChannelDirectory } from "./channel-directory.ts";
import { isRefusal, notAllowed } from "./intake.ts";

/** https://docs.discord.com/developers/interactions/receiving-and-responding */
const Callback = { message: 4, deferred: 5 } as const;
const EPHEMERAL = 64;

export interface InteractionDeps {
  readonly context: AdapterContext;
  readonly timing: DiscordTiming;
  readonly inbox: Inbox;
  readonly rest: RestCalls;
  readonly access: DiscordAccessCheck;
  readonly channels: ChannelDirectory;
  readonly queue: KeyedQueue;
  readonly open: OpenInteractions;
  readonly stopping: AbortSignal;
}

/** The reason of a refusal, for the person; undefined if the interaction is stored. */
type Problem = string | undefined;

/** Intake of slash commands and buttons: stores them like messages, and acknowledges in time even if storing is slow. */
export class Interactions {
  readonly #deps: InteractionDeps;

  constructor(deps: InteractionDeps) {
    this.#deps = deps;
  }

  async handle(data: unknown): Promise<void> {
    const envelope = InteractionEnvelope.safeParse(data).data;
    if (envelope === undefined) return;
    const interaction = DiscordInteraction.safeParse(data).data;
    if (interaction === undefined) return this.#refuse(envelope, textsFor(envelope.locale).intake.unsupported);
    const { context, timing, queue, open, stopping } = this.#deps;
    const texts = textsFor(interaction.locale);
    // Messages that cannot be stored wait in the queue; an interaction must not wait behind them.
    if (context.writes.problem !== undefined) return this.#refuse(interaction, texts.intake.tryAgain);
    const name = nameOf(interaction);
    const isPrivate = context.commands.some((command) => command.name === name && command.privately);
    const ephemeral = isPrivate && Boolean(interaction.guild_id);
    // Queued behind earlier messages of the same channel.
    const taking = queue.run(interaction.channel_id, () => this.#take(interaction, ephemeral, texts));
    const acknowledged = (async () => {
      const done = new AbortController();
      const late = pause(context.clock, timing.acknowledgeWithinMs, AbortSignal.any([stopping, done.signal]));
      const problem = await Promise.race([taking, late.then((): Problem => undefined)]);
      done.abort();
      if (problem !== undefined) return this.#refuse(interaction, problem);
      await this.#answer(interaction, { type: Callback.deferred, data: ephemeral ? { flags: EPHEMERAL } : {} });
      const problemLater = await taking;
      if (problemLater !== undefined) await this.#explain(interaction, problemLater);
    })();
    open.acknowledging(interactionMessageId(context.channel, interaction.id), acknowledged);
    await acknowledged;
  }

  async #take(interaction: DiscordInteraction, ephemeral: boolean, texts: Texts): Promise<Problem> {
    const { context, inbox, access, channels, open, stopping } = this.#deps;
    if (stopping.aborted) return texts.intake.restarting;
    try {
      if (interaction.channel) channels.learn({ t: "CHANNEL_CREATE", d: withGuild(interaction) });
      const conversation = await channels.conversationIn(interaction.channel_id, interaction.guild_id ?? undefined);
      if (conversation === undefined) return texts.intake.hiddenChannel;
      const message = interactionMessage(interaction, conversation, isoTime(context.clock.now()), context);
      if (message === undefined) return texts.intake.oldButton;
      const accountId = message.account.id;
      if (!access.allowsConversation(conversation) || !(await access.mayWrite(conversation, accountId)))
        throw notAllowed();
      const { application_id: applicationId, channel_id: channelId, token } = interaction;
      await open.open(message.id, { applicationId, token, channelId, accountId, ephemeral });
      await inbox.accept(message);
      return undefined;
    } catch (error) {
      if (isRefusal(error)) return errorText(error, texts);
      const level = error instanceof Unwritable ? "debug" : "warn";
      context.logger[level]({ error: messageOf(error) }, "could not store an interaction");
      return texts.intake.tryAgain;
    }
  }

  #refuse(envelope: InteractionEnvelope, why: string): Promise<void> {
    return this.#answer(envelope, { type: Callback.message, data: { content: why, flags: EPHEMERAL, ...NO_MENTIONS } });
  }

  async #answer({ id, token }: InteractionEnvelope, body: unknown): Promise<void> {
    const { rest, context } = this.#deps;
    try {
      await rest.call("post", Routes.interactionCallback(id, token), { body, auth: false });
    } catch (error) {
      context.logger.warn({ error: messageOf(error) }, "could not acknowledge an interaction");
    }
  }

  async #explain({ application_id, token }: DiscordInteraction, why: string): Promise<void> {
    const route = Routes.webhookMessage(application_id, token, "@original");
    const body = { content: why, ...NO_MENTIONS };
    await this.#deps.rest.call("patch", route, { body, auth: false }).catch(() => undefined);
  }
}

const NO_MENTIONS = { allowed_mentions: { parse: [] } };

const nameOf = (interaction: DiscordInteraction): string =>
  interaction.type === 2 ? interaction.data.name : (pressedAction(interaction.data.custom_id)?.name ?? "");

const withGuild = ({ channel, guild_id }: DiscordInteraction) => ({ ...channel, guild_id });

/** https://docs.discord.com/developers/interactions/application-commands */
const CHAT_INPUT = 1;
const STRING = 3;
const IN_SERVERS = 0;
const IN_PRIVATE = 1;
const FOR_SERVERS = 0;

/** The descriptions in other languages, by Discord's locale. */
const Localized = z
  .record(z.string(), z.string())
  .nullish()
  .transform((found) => found ?? {});

const Registered = z.object({
  name: z.string(),
  description: z.string(),
  description_localizations: Localized,
  type: z.number(),
  contexts: z.array(z.number()).nullish(),
  integration_types: z.array(z.number()).nullish(),
  options: z
    .array(
      z.object({
        name: z.string(),
        description: z.string(),
        description_localizations: Localized,
        type: z.number(),
        required: z.boolean().default(false),
      }),
    )
    .default([]),
});
type Registered = z.infer<typeof Registered>;

const toRegister = (commands: readonly MenuCommand[]): Registered[] =>
  commands
    .map(({ name, description, argument, translations = {} }) => ({
      name,
      description,
      description_localizations: localized(translations, (entry) => entry.description),
      type: CHAT_INPUT,
      contexts: [IN_SERVERS, IN_PRIVATE],
      integration_types: [FOR_SERVERS],
      options: argument
        ? [
            {
              ...argument,
              description_localizations: localized(translations, (entry) => entry.argument?.description),
              type: STRING,
              required: false,
            },
          ]
        : [],
    }))
    .sort((a, b) => a.name.localeCompare(b.name));

/** Discord knows no plain "es". https://docs.discord.com/developers/reference#locales */
const LOCALES: Readonly<Record<string, readonly string[]>> = { es: ["es-ES", "es-419"] };

type Translations = NonNullable<MenuCommand["translations"]>;

const localized = (
  translations: Translations,
  textOf: (entry: Translations[string]) => string | undefined,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(translations).flatMap(([language, entry]) => {
      const text = textOf(entry);
      return text === undefined ? [] : (LOCALES[language] ?? [language]).map((locale) => [locale, text]);
    }),
  );

/** Registers the commands if Discord has different ones; writes count against a daily limit. */
export const registerCommands = async (
  rest: RestCalls,
  applicationId: string,
  commands: readonly MenuCommand[],
): Promise<"changed" | "unchanged"> => {
  const expected = toRegister(commands);
  const route = Routes.applicationCommands(applicationId);
  // Without this parameter, Discord leaves the localizations out.
  const query = { with_localizations: "true" };
  const registered = z.array(Registered).safeParse(await rest.call("get", route, { query }));
  const current = registered.data?.sort((a, b) => a.name.localeCompare(b.name));
  if (isDeepStrictEqual(current, expected)) return "unchanged";
  await rest.call("put", route, { body: expected });
  return "changed";
};
