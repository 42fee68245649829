import { z } from "zod";
import { INBOUND_CHANNEL, InboundTaskAddress } from "../../contract/inbound-task.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import { stableId, summarisePrompt } from "../../lib/index.ts";
import { traceIdOf } from "../../turns/index.ts";
import { ReplyOriginExtension } from "../extension.ts";
import type { InboundTask } from "./inbound-task.ts";
import { Said, Webhook } from "./inbound-task.ts";

/** A message of another agent. It travels whole, so that core can make the task of it if the gateway dies half-way. */
export const InboundCall = InboundTaskAddress.extend({
  contextId: z.string(),
  /** The caller named no context: this one was made for it, and holds nothing else yet. */
  isNewContext: z.literal(true).optional(),
  /** The caller waits for the answer: before NOTED_AFTER_MS nobody has told it, or anybody else, of a task. */
  isAwaited: z.literal(true).optional(),
  skill: z.looseObject({ id: z.string(), name: z.string() }).optional(),
  said: Said,
  webhook: Webhook.optional(),
  sentAt: z.iso.datetime(),
  extension: ReplyOriginExtension.optional(),
  /** The trace of the caller that the work joins. */
  trace: z.string().optional(),
});
export type InboundCall = z.infer<typeof InboundCall>;

/** A task that is not there by then is made by the gateway that took the call: core has other things to do. */
export const NOTED_AFTER_MS = 1_000;

/** What was read before: a turn asks several times. */
const known = new WeakMap<object, InboundCall>();

/** The call in a message's data, if it is one. */
export const callIn = ({ synthetic }: Pick<UserMessage, "synthetic">): InboundCall | undefined => {
  const data = synthetic?.type === "task" ? synthetic.data?.a2a : undefined;
  if (typeof data !== "object" || data === null) return undefined;
  const call = known.get(data) ?? InboundCall.safeParse(data).data;
  if (call !== undefined) known.set(data, call);
  return call;
};

/** The turn that a call is: in the session of its caller and context. The same for the same call. */
export const inboundMessage = (call: InboundCall): UserMessage => {
  const { tenant, agent, caller, id, contextId, isNewContext, skill, said, sentAt, extension, trace } = call;
  const sessionId = inboundSessionOf(call);
  const conversation = { channel: INBOUND_CHANNEL, room: caller, thread: contextId, kind: "private" as const };
  const asker = { personId: `a2a:${caller}`, accountId: caller, name: caller };
  const messageId = inboundMessageId(call, said);
  return {
    id: messageId,
    tenant,
    agent,
    conversation,
    account: { id: caller, name: caller },
    text: said.text,
    attachments: [],
    synthetic: {
      type: "task",
      sessionId,
      ...(isNewContext && { isFirst: true }),
      origin: {
        channel: INBOUND_CHANNEL,
        promptSummary: callTitle(caller, skill?.name),
        startedAt: sentAt,
        sessionId,
        taskId: id,
      },
      audience: { conversation, personId: null, accountId: caller },
      asker,
      owner: { ownerType: "orchestrator", ownerId: sessionId, worksFor: { kind: "a2a-task", tenant, agent, id } },
      background: true,
      ...(extension && {
        chain: { root: extension.rootCorrelationId, hops: extension.hops, lastHopAt: Date.parse(sentAt) },
      }),
      data: { a2a: call },
    },
    sentAt,
    traceId: trace ?? traceIdOf({ tenant, agent, id: messageId }),
  };
};

/** Of the message that carries what a caller said in a task. */
export const inboundMessageId = ({ tenant, agent, caller, id }: InboundTaskAddress, said: Pick<Said, "id">): string =>
  stableId("a2a", tenant, agent, caller, id, said.id);

/** Every caller has a session of its own for each of its contexts. */
export const inboundSessionOf = (call: Pick<InboundCall, "tenant" | "agent" | "caller" | "contextId">): string =>
  stableId("s", "a2a", call.tenant, call.agent, call.caller, call.contextId);

/** How a call is named to people (O5). */
export const callTitle = (caller: string, skill: string | undefined): string =>
  summarisePrompt(skill === undefined ? caller : `${caller} · ${skill}`);

/** The task that a first message begins. */
export const newTask = (call: InboundCall): InboundTask => {
  const { tenant, agent, caller, id, contextId, skill, said, webhook, sentAt } = call;
  return {
    tenant,
    agent,
    caller,
    id,
    contextId,
    ...(skill !== undefined && { skill: skill.id }),
    state: "submitted",
    statusAt: sentAt,
    createdAt: sentAt,
    changes: 0,
    said: [said],
    ended: [],
    webhooks: webhook === undefined ? [] : [webhook],
  };
};
