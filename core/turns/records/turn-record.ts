import { z } from "zod";
import type { AgentRef } from "../../contract/agent-ref.ts";
import { ReplyCause } from "../../contract/agent-reply.ts";
import { RETENTION_MS } from "../../contract/bus.ts";
import { collection, keyOf, prefixOf } from "../../contract/collection.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import { Asker, Audience, DelegationContext, ReplyOrigin } from "../../contract/work-context.ts";
import { stableId } from "../../lib/index.ts";
import { ContinuedWork } from "../../origin/index.ts";

/** Created when a message is first handled. If it exists already, the message is a duplicate or its turn resumes. */
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
  /** Absent if a person's message started the turn. */
  cause: ReplyCause.optional(),
  /** The work that the turn continues, if the message replies to a proactive one (O14). It only reads those sessions. */
  continues: z.array(ContinuedWork).optional(),
  /** The text of the message when the turn began, if it had been edited. Later edits change nothing. */
  editedText: z.string().optional(),
  /** Absent if no user is waiting for the reply. */
  correlationId: z.string().optional(),
  /** The name of the command, if the message is one; such a turn adds nothing to the history. */
  command: z.string().optional(),
  standing: DelegationContext,
  openedAt: z.iso.datetime(),
  traceId: z.string(),
  /** Session and person come from the cache of the process: they may be stale until the turn has made progress. */
  assumed: z.literal(true).optional(),
});
export type TurnRecord = z.infer<typeof TurnRecord>;

const turns = collection("turns", TurnRecord, { ttlMs: RETENTION_MS });

type MessageAddress = AgentRef & Pick<UserMessage, "id">;

/** The turn id derives from the message id, so either of them finds the record. */
export const turnKeyById = ({ tenant, agent }: AgentRef, turnId: string) => keyOf(turns, tenant, agent, turnId);
export const turnKey = (message: MessageAddress) => turnKeyById(message, turnIdOf(message));
/** All turns within the retention time. For operators: never per message. */
export const turnsOfAgent = ({ tenant, agent }: AgentRef) => prefixOf(turns, tenant, agent);
/** Cached per message, because each message needs it several times. */
export const turnIdOf = (message: MessageAddress): string => {
  const known = turnIds.get(message);
  if (known !== undefined) return known;
  const { tenant, agent, id } = message;
  const turnId = stableId("t", tenant, agent, id);
  turnIds.set(message, turnId);
  return turnId;
};
const turnIds = new WeakMap<MessageAddress, string>();
/** The trace id of the work that a message begins: the digits of its turn id, so each can be derived from the other. */
export const traceIdOf = (message: MessageAddress): string => turnIdOf(message).slice("t-".length);

/** The id of the final reply of a turn. */
export const finalIdOf = (turnId: string): string => `${turnId}/final`;

/** A peer call may stay open for the retention time of the bus; its session is kept as long again (L7). */
const RUN_KEPT_MS = 2 * RETENTION_MS;

/** The session of a schedule run or an inbound task expires; the session of a conversation does not. */
export const sessionTtl = (turn: Pick<TurnRecord, "standing">): { readonly ttlMs?: number } =>
  turn.standing.owner.ownerType === "orchestrator" ? { ttlMs: RUN_KEPT_MS } : {};
