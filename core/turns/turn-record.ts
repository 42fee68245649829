import { z } from "zod";
import { Audience } from "../contract/agent-reply.ts";
import { RETENTION_MS } from "../contract/bus.ts";
import { collection, keyOf, prefixOf } from "../contract/collection.ts";
import { DelegationContext } from "../contract/delegation-context.ts";
import { Asker } from "../contract/owner-context.ts";
import { ReplyCause } from "../contract/reply-cause.ts";
import { ReplyOrigin } from "../contract/reply-origin.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { stableId } from "../lib/index.ts";
import { ContinuedWork } from "../origin/index.ts";

/** Written once, when a message is first seen. If it is there already, the message is a repeat or a resume. */
export const TurnRecord = z.looseObject({
  turnId: z.string(),
  /** Absent in a turn of a subtask, which no message starts. */
  messageId: z.string().optional(),
  sessionId: z.string(),
  /** The first index of the session's history that the turn's entry can have. */
  index: z.number().int().nonnegative(),
  origin: ReplyOrigin,
  audience: Audience,
  /** The person whose message started it. */
  asker: Asker,
  /** Present if no person's message started it. */
  cause: ReplyCause.optional(),
  /** The work that it goes on with, if the message answers an unsolicited one (O14). Of its sessions it only reads. */
  continues: z.array(ContinuedWork).optional(),
  /** The message's words when the turn began, if they were others than it was sent with. Later edits change nothing. */
  editedText: z.string().optional(),
  /** Absent if nobody waits for its reply. */
  correlationId: z.string().optional(),
  /** The name of the command that it is; such a turn leaves nothing in the history. */
  command: z.string().optional(),
  standing: DelegationContext,
  openedAt: z.iso.datetime(),
  traceId: z.string(),
  /** Stored before session and person were looked up: until something was made of the turn, they may be older ones. */
  assumed: z.literal(true).optional(),
});
export type TurnRecord = z.infer<typeof TurnRecord>;

const turns = collection("turns", TurnRecord, { ttlMs: RETENTION_MS });

type MessageAddress = Pick<UserMessage, "tenant" | "agent" | "id">;

type Place = Pick<MessageAddress, "tenant" | "agent">;

/** By the turn's id, which follows from its message's: whoever has either of them finds the record. */
export const turnKeyById = ({ tenant, agent }: Place, turnId: string) => keyOf(turns, tenant, agent, turnId);
export const turnKey = (message: MessageAddress) => turnKeyById(message, turnIdOf(message));
/** Of the last days. For operators: never per message. */
export const turnsOfAgent = ({ tenant, agent }: Place) => prefixOf(turns, tenant, agent);
/** A message asks for it several times. */
export const turnIdOf = (message: MessageAddress): string => {
  const known = turnIds.get(message);
  if (known !== undefined) return known;
  const { tenant, agent, id } = message;
  const turnId = stableId("t", tenant, agent, id);
  turnIds.set(message, turnId);
  return turnId;
};
const turnIds = new WeakMap<MessageAddress, string>();
/** Of the work that a message begins: the digits of its turn's id, so that each leads to the other. */
export const traceIdOf = (message: MessageAddress): string => turnIdOf(message).slice("t-".length);

/** The id of the one reply that a turn ends in. */
export const finalIdOf = (turnId: string): string => `${turnId}/final`;
