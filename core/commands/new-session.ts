import { startSession } from "../sessions/index.ts";
import type { Command } from "./command.ts";

export const newSession: Command = {
  name: "new",
  menu: { description: "Start afresh; work under way goes on" },
  summary: "start afresh; I forget what we talked about here, work under way goes on",
  privately: false,
  inOrder: true,
  async run({ deps: { store, clock }, message, record }) {
    const options = { after: record.sessionId, messageId: message.id, now: clock.now() };
    const sessionId = await startSession(store, message, options);
    return { sessionId, markdown: "This is a new session: I no longer know what we talked about before." };
  },
};
