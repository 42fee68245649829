import { z } from "zod";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import { ReplyCause } from "../../contract/messages/agent-reply.ts";
import type { UserMessage } from "../../contract/messages/user-message.ts";
import { Asker, Audience, DelegationContext, ReplyOrigin } from "../../contract/messages/work-context.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { collection, type Key, keyOf, keyParts, prefixOf, type Store } from "../../contract/ports/store.ts";
import { createOnce } from "../../contract/ports/update.ts";
import { stableId } from "../../lib/index.ts";
import { StepResponse, ToolResult } from "../../model/index.ts";
import { ContinuedWork } from "../../origin/index.ts";
import { Revision } from "../../sessions/index.ts";
import { TurnYielded } from "../turn-failures.ts";

const RevisedTurns = Revision.extend({
  /** The latest of the replaced turns, oldest first: their tool calls are not run again. */
  turnIds: z.array(z.string()),
});
export type RevisedTurns = z.infer<typeof RevisedTurns>;

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
  /** The earlier turns that this one replaces, if its message revises another one. */
  revises: RevisedTurns.optional(),
  /** Addresses that the asker wrote in the message. */
  urls: z.array(z.string()).optional(),
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

/** A peer call may stay open for the retention time of the bus; its session stays as long again (L7). */
const RUN_SESSION_TTL_MS = 2 * RETENTION_MS;

/** The session of a schedule run or an inbound task expires; the session of a conversation does not. */
export const sessionTtl = (turn: Pick<TurnRecord, "standing">): { readonly ttlMs?: number } =>
  turn.standing.owner.ownerType === "orchestrator" ? { ttlMs: RUN_SESSION_TTL_MS } : {};

const ttl = { ttlMs: RETENTION_MS };
const responses = collection("turn-responses", StepResponse, ttl);
const intents = collection("turn-intents", z.looseObject({ name: z.string() }), ttl);
const results = collection("turn-results", ToolResult, ttl);

/** Deletes the record and the journal of a turn that has ended. */
export const deleteTurn = async (store: Store, agent: AgentRef, turnId: string): Promise<void> => {
  for (const journal of [responses, intents, results]) {
    for await (const { key } of store.list(prefixOf<unknown>(journal, turnId))) {
      await store.delete(keyOf<unknown>(journal, ...(keyParts(key) as [string, ...string[]])));
    }
  }
  await store.delete(turnKeyById(agent, turnId));
};

/** The state of a call in an earlier run. */
type CallTrace = { result: ToolResult } | "begun" | "untouched";

/**
 * The completed steps of a turn. Each entry is written once: a process that finds an entry of another process has lost
 * the turn and yields. A turn that was just opened has no entries, so a fresh journal reads nothing.
 */
export class Journal {
  readonly #store: Store;
  readonly #turnId: string;
  #fresh: boolean;

  constructor(store: Store, turnId: string, fresh: boolean) {
    this.#store = store;
    this.#turnId = turnId;
    this.#fresh = fresh;
  }

  async response(step: number): Promise<StepResponse | undefined> {
    if (this.#fresh) return undefined;
    const stored = await this.#store.get(this.#response(step));
    // The first step without a response is where the earlier run ended.
    if (stored === undefined) this.#fresh = true;
    return stored?.value;
  }

  async call(step: number, index: number): Promise<CallTrace> {
    if (this.#fresh) return "untouched";
    const [result, intent] = await Promise.all([
      this.#store.get(this.#result(step, index)),
      this.#store.get(this.#intent(step, index)),
    ]);
    if (result !== undefined) return { result: result.value };
    return intent === undefined ? "untouched" : "begun";
  }

  addResponse(step: number, response: StepResponse): Promise<void> {
    return this.#create(this.#response(step), response);
  }

  addIntent(step: number, index: number, name: string): Promise<void> {
    return this.#create(this.#intent(step, index), { name });
  }

  addResult(step: number, index: number, result: ToolResult): Promise<void> {
    return this.#create(this.#result(step, index), result);
  }

  #response(step: number) {
    return keyOf(responses, this.#turnId, String(step));
  }

  #intent(step: number, index: number) {
    return keyOf(intents, this.#turnId, String(step), String(index));
  }

  #result(step: number, index: number) {
    return keyOf(results, this.#turnId, String(step), String(index));
  }

  async #create<T>(key: Key<T>, value: T): Promise<void> {
    const created = await createOnce(this.#store, key, value);
    if (created === undefined) throw new TurnYielded("another process has taken the turn over");
  }
}
