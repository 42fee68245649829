import { startSession } from "../sessions/index.ts";
import type { Command } from "./command.ts";

export const newSession: Command = {
  name: "new",
  needs: "talk",
  menu: { description: "Start a new session; running work continues" },
  summary: "start over: I forget our conversation, running work continues",
  privately: false,
  inOrder: true,
  async run({ deps: { store, clock }, message, record }) {
    const options = { after: record.sessionId, messageId: message.id, now: clock.now() };
    const sessionId = await startSession(store, message, options);
    return { sessionId, markdown: "This is a new session: I have forgotten our conversation so far." };
  },
};
