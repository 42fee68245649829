import type { UserMessage } from "../contract/user-message.ts";
import { publishReply } from "../delivery/publish-reply.ts";
import { cutAtGraphemes } from "../origin/summarise-prompt.ts";
import { startSession } from "../sessions/start-session.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { cancelByCommand } from "./cancel-by-command.ts";
import type { IntakeParts } from "./intake-parts.ts";
import type { OpenedTurn } from "./open-turn.ts";

const HELP = [
  "Write to me as you would to a person. Commands:",
  "- `help`: this text",
  "- `cancel <id>`: end work that was begun for you and is still under way",
  "- `new`: start afresh; I forget what we talked about here, work under way goes on",
].join("\n");

/** Commands travel with the messages around them, so `new` takes effect exactly between two messages. */
export const runCommand = async (
  parts: IntakeParts,
  message: UserMessage,
  command: Command,
  { record, seenBefore }: OpenedTurn,
): Promise<void> => {
  const { sessionId, markdown } = await obey(parts, message, command, record);
  await parts.checkpoint("reply.before");
  await publishReply(parts.bus, {
    id: `${record.turnId}/notice`,
    tenant: message.tenant,
    agent: message.agent,
    sessionId,
    kind: "notice",
    markdown,
    correlationId: message.id,
    origin: null,
    audience: record.audience,
    ...(seenBefore && { mayRepeat: true }),
    createdAt: record.openedAt,
    traceId: record.traceId,
  });
  await parts.checkpoint("reply.published");
};

type Command = NonNullable<UserMessage["command"]>;

const obey = async (parts: IntakeParts, message: UserMessage, { name, args }: Command, record: TurnRecord) => {
  const { store, clock } = parts;
  const { sessionId } = record;
  if (name === "help") return { sessionId, markdown: HELP };
  if (name === "cancel") return { sessionId, markdown: await cancelByCommand(parts, message, args, record.asker) };
  if (name === "new") {
    const options = { after: sessionId, messageId: message.id, now: clock.now() };
    const started = await startSession(store, message, options);
    return { sessionId: started, markdown: "This is a new session: I no longer know what we talked about before." };
  }
  const shown = cutAtGraphemes(name.replace(/[^\p{L}\p{N}_-]+/gu, " ").trim(), 40);
  return { sessionId, markdown: `I do not know the command "${shown}" yet. I know: help, cancel, new.` };
};
