import type { UserMessage } from "../contract/user-message.ts";
import { publishReply } from "../delivery/index.ts";
import type { TurnRecord } from "../turns/index.ts";
import type { CommandDeps } from "./command.ts";
import { commandNamed } from "./commands.ts";
import { unknownCommand } from "./unknown-command.ts";

/** From a command to its one published answer. It is a notice: nobody needs to be told where it came from (O7). */
export const runCommand = async (
  parts: CommandDeps,
  message: UserMessage,
  { name, args }: NonNullable<UserMessage["command"]>,
  { record, seenBefore }: { readonly record: TurnRecord; readonly seenBefore: boolean },
): Promise<void> => {
  const command = commandNamed(name) ?? unknownCommand(name);
  const answer = await command.run({ parts, message, args: args.trim(), record });
  const isForCallerOnly = (command.privately || message.unseen === true) && message.conversation.kind === "shared";
  await parts.checkpoint("reply.before");
  await publishReply(parts.bus, {
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
  await parts.checkpoint("reply.published");
};
