import type { Conversation } from "../../core/contract/conversation.ts";
import type { UserMessage } from "../../core/contract/user-message.ts";
import type { InboundContext } from "./inbound.ts";
import { accountOf, messageIdOf } from "./inbound.ts";
import type { DiscordInteraction } from "./platform-events.ts";
import { pressedAction } from "./render-actions.ts";

/** Told apart from plain messages, because its answer goes another way. */
export const interactionMessageId = (channel: string, interactionId: string): string =>
  messageIdOf(channel, `interaction:${interactionId}`);

export const isInteractionMessageId = (channel: string, id: string): boolean =>
  id.startsWith(interactionMessageId(channel, ""));

/** A slash command or a pressed button, as the command that it is. */
export const interactionMessage = (
  interaction: DiscordInteraction,
  conversation: Conversation,
  sentAt: string,
  { channel, tenant, agent, newId }: InboundContext,
): UserMessage | undefined => {
  const user = interaction.member?.user ?? interaction.user;
  const command = commandIn(interaction);
  if (!user || command === undefined) return undefined;
  const account = accountOf(user, interaction.member?.nick);
  return {
    id: interactionMessageId(channel, interaction.id),
    tenant,
    agent,
    conversation,
    account: interaction.locale === undefined ? account : { ...account, locale: interaction.locale },
    text: `/${command.name} ${command.args}`.trim(),
    attachments: [],
    command,
    ...(interaction.type === 3 && { replyTo: interaction.message.id }),
    sentAt,
    traceId: newId(),
  };
};

const commandIn = (interaction: DiscordInteraction): UserMessage["command"] => {
  if (interaction.type === 3) return pressedAction(interaction.data.custom_id);
  const { name, options } = interaction.data;
  const args = options.map(({ value }) => String(value ?? "").trim()).join(" ");
  // People copy the link of a message more easily than its id.
  return { name, args: args.replace(MESSAGE_LINK, "$1") };
};

const MESSAGE_LINK = /^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/channels\/[^/\s]+\/\d+\/(\d+)$/;
