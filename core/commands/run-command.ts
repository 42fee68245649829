import type { CommandMessage } from "../contract/messages/user-message.ts";
import { publishReply } from "../delivery/index.ts";
import type { Agent, TurnRecord } from "../turns/index.ts";
import type { CommandDeps } from "./command.ts";
import { commandFor } from "./commands.ts";

/** Runs a command and publishes its answer as a notice, which needs no anchor (O7). */
export const runCommand = async (
  deps: CommandDeps,
  { rights, defaultsOn }: Pick<Agent, "rights" | "defaultsOn">,
  message: CommandMessage,
  { record, seenBefore }: { readonly record: TurnRecord; readonly seenBefore: boolean },
): Promise<void> => {
  const { name, args } = message.command;
  const command = commandFor(name);
  const permit = rights.permit(record.asker);
  const refusal = permit.refusalOf(command.needs);
  const defaults = defaultsOn(message.conversation.channel);
  const answer =
    refusal === undefined
      ? await command.run({ deps, message, args: args.trim(), defaults, record, permit })
      : { markdown: refusal };
  const isForCallerOnly = (command.privately || message.unseen === true) && message.conversation.kind === "shared";
  await deps.checkpoint("reply.before");
  await publishReply(deps.bus, {
    sessionId: record.sessionId,
    ...answer,
    id: `${record.turnId}/notice`,
    tenant: message.tenant,
    agent: message.agent,
    kind: "notice",
    correlationId: message.id,
    origin: null,
    audience: record.audience,
    ...(isForCallerOnly && { onlyFor: message.account.id }),
    ...(seenBefore && { mayRepeat: true }),
    createdAt: record.openedAt,
    traceId: record.traceId,
  });
  await deps.checkpoint("reply.published");
};
