import { expect } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";

const SECOND = "2026-03-10T21:20:00.000Z";

/** Starts a session whose second message begins the work. */
export const beginWithSecond = async (core: CoreUnderTest): Promise<void> => {
  await core.ask("m-1", "hello");
  await core.receive(userMessage("m-2", "go", { sentAt: SECOND, link: "https://chat.example/2" }));
};

export const unsolicitedReply = async (
  core: CoreUnderTest,
  isIt: (reply: AgentReply) => boolean,
): Promise<AgentReply> => {
  const matches = (reply: AgentReply) => reply.correlationId === undefined && isIt(reply);
  return (await core.replies.until((all) => all.some(matches))).find(matches) as AgentReply;
};

export const isFinal = ({ kind }: AgentReply): boolean => kind === "final";

/** Expects origin and audience of the second message. */
export const expectSecondOrigin = (core: CoreUnderTest, reply: AgentReply | undefined): void => {
  expect(reply?.origin).toEqual({
    channel: "web",
    promptSummary: "go",
    startedAt: SECOND,
    sessionId: core.replies.items[0]?.sessionId,
    link: "https://chat.example/2",
  });
  expect(reply?.audience).toMatchObject({ conversation: { room: "room-1" }, accountId: "ann" });
};
