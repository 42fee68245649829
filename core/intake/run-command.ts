import type { UserMessage } from "../contract/user-message.ts";
import { publishReply } from "../delivery/publish-reply.ts";
import { cutAtGraphemes } from "../origin/summarise-prompt.ts";
import { startSession } from "../sessions/start-session.ts";
import type { IntakeParts } from "./intake-parts.ts";
import type { OpenedTurn } from "./open-turn.ts";

const HELP = [
  "Write to me as you would to a person. Commands:",
  "- `help`: this text",
  "- `new`: start afresh; I forget what we talked about here, work under way goes on",
].join("\n");

/** Commands travel with the messages around them, so `new` takes effect exactly between two messages. */
export const runCommand = async (
  parts: IntakeParts,
  message: UserMessage,
  name: string,
  { record, seenBefore }: OpenedTurn,
): Promise<void> => {
  const { sessionId, markdown } = await obey(parts, message, name, record.sessionId);
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

const obey = async ({ store, clock }: IntakeParts, message: UserMessage, name: string, sessionId: string) => {
  if (name === "help") return { sessionId, markdown: HELP };
  if (name === "new") {
    const options = { after: sessionId, messageId: message.id, now: clock.now() };
    const started = await startSession(store, message, options);
    return { sessionId: started, markdown: "This is a new session: I no longer know what we talked about before." };
  }
  const shown = cutAtGraphemes(name.replace(/[^\p{L}\p{N}_-]+/gu, " ").trim(), 40);
  return { sessionId, markdown: `I do not know the command "${shown}" yet. I know: help, new.` };
};
