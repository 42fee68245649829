import { isoTime } from "../../../core/contract/ports/clock.ts";
import { type RoomAddress, roomNamed } from "../history/room-address.ts";
import type { Identity, TokenProblem } from "../identity/visitor-token.ts";
import type { Hello } from "../protocol.ts";
import type { DialogueDeps } from "./dialogue-deps.ts";
import { encodeFrame } from "./frame-codec.ts";

export interface Entered {
  readonly who: Identity;
  readonly address: RoomAddress;
  /** The last `seq` of its log. */
  readonly head: number;
  readonly sessionId: string;
}

/** Identifies the visitor of a hello and reads the state of the conversation that it names. */
export const enterConversation = async (
  hello: Hello,
  token: string | undefined,
  { rooms, auth, context, conversations }: DialogueDeps,
): Promise<Entered | { readonly problem: TokenProblem | "conversation-unknown" }> => {
  const who = await auth.enter(token);
  if ("problem" in who) return who;
  const address = roomNamed(who.visitor, hello.conversation);
  if (!(await conversations.has(address))) return { problem: "conversation-unknown" };
  const log = rooms.log(address);
  const [head, sessionId] = await Promise.all([
    who.isNew ? log.startEmpty() : log.head(hello.resumeFrom),
    context.sessionOf(rooms.conversation(address), who.isNew),
  ]);
  return { who, address, head, sessionId };
};

export const welcomeFrame = (
  { who, address, head, sessionId }: Entered,
  { auth, context, limits, voiceInput }: DialogueDeps,
): Buffer =>
  encodeFrame({
    type: "welcome",
    token: auth.issue(who),
    conversation: who.visitor,
    ...(address.thread !== undefined && { thread: address.thread }),
    sessionId,
    seq: head,
    agent: context.agent,
    now: isoTime(context.clock.now()),
    limits: { textLength: limits.textLength, fileBytes: limits.filesPerVisitor > 0 ? limits.fileBytes : 0 },
    ...(voiceInput && { voice: true }),
  });
