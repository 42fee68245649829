import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { AppError } from "../../../../core/contract/app-error.ts";
import type { AgentRef } from "../../../../core/contract/messages/addresses.ts";
import { Conversation } from "../../../../core/contract/messages/conversation.ts";
import { Asker } from "../../../../core/contract/messages/work-context.ts";
import { isoTime } from "../../../../core/contract/ports/clock.ts";
import { collection, keyOf } from "../../../../core/contract/ports/store.ts";
import { type HistoryEntry, SessionHistory } from "../../../../core/sessions/index.ts";
import {
  activeTakeover,
  allTakeovers,
  isActive,
  startTakeover,
  type Takeover,
} from "../../../../core/sessions/takeover/index.ts";
import { type TurnRecord, turnsOfAgent } from "../../../../core/turns/record/index.ts";
import { type AnswerTo, requests } from "../../../admin-api/index.ts";
import { announceTakeover, answerAsOperator, concludeTakeover } from "../../../takeovers/index.ts";
import { type AdminDeps, type AdminRequest, adminRoute, checked, noteDetail, operatorOf } from "../../admin-request.ts";
import { auditDetail, auditRead } from "../../audit.ts";
import { managedAgent, managedAgents } from "../../managed-resources.ts";
import { shownAsker } from "../../shown-work.ts";

/** An operator's permission to read a session, with its reason. It expires with its time. */
const GlassBreak = z.looseObject({
  reason: z.string(),
  at: z.iso.datetime(),
  until: z.iso.datetime(),
  conversation: Conversation,
  asker: Asker,
  /** The audit log has the reading. */
  isRead: z.boolean().optional(),
});
const glassBreaks = collection("glass-breaks", GlassBreak);

const MAX_SHOWN_ENTRIES = 200;

type TakeoverState = AnswerTo<"GET takeovers">["items"][number];
type TranscriptEntry = AnswerTo<"GET sessions/:sessionId/transcript">["entries"][number];

/** Private words, only after the operator has given a reason (R4): the transcript of a session, and its takeover. */
export const takeoverRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, store, clock } = deps;
  const history = new SessionHistory(store);
  const glassKey = (ref: AgentRef, sessionId: string, request: AdminRequest) =>
    keyOf(glassBreaks, ref.tenant, ref.agent, sessionId, idOf(request));

  const lastTurn = async (agentRef: AgentRef, sessionId: string): Promise<TurnRecord> => {
    let last: TurnRecord | undefined;
    for await (const { value } of store.list(turnsOfAgent(agentRef))) {
      if (value.sessionId === sessionId && (last === undefined || value.openedAt > last.openedAt)) last = value;
    }
    if (last === undefined) throw new AppError("not-found", "this session has had no turn in the last seven days");
    return last;
  };

  const breakGlass = async (
    request: AdminRequest,
    agentRef: AgentRef,
    { sessionId, audience: { conversation }, asker }: TurnRecord,
    { reason, minutes }: { readonly reason: string; readonly minutes: number },
  ): Promise<string> => {
    const now = clock.now();
    const ttlMs = minutes * 60_000;
    const until = isoTime(now + ttlMs);
    const glass = { reason, at: isoTime(now), until, conversation, asker };
    await store.put(glassKey(agentRef, sessionId, request), glass, { ttlMs });
    return until;
  };

  /** The takeover that the operator has in the conversation of a session. */
  const ownTakeover = async (request: AdminRequest, agentRef: AgentRef, sessionId: string): Promise<Takeover> => {
    for await (const { value } of store.list(allTakeovers())) {
      const isOfSession =
        value.tenant === agentRef.tenant && value.agent === agentRef.agent && value.sessionId === sessionId;
      if (isOfSession && isActive(value, clock.now()) && value.operator.id === idOf(request)) return value;
    }
    throw new AppError("conflict", "you have not taken this conversation over, or the takeover has ended");
  };

  adminRoute(scope, "POST sessions/:sessionId/break-glass", async (request) => {
    const { agent, ...given } = checked(requests["POST sessions/:sessionId/break-glass"], request.body);
    const agentRef = managedAgent(config, request, agent);
    const { sessionId } = request.params;
    await auditDetail(deps, request, { agent, ...given });
    const turn = await lastTurn(agentRef, sessionId);
    return { until: await breakGlass(request, agentRef, turn, given) };
  });

  adminRoute(scope, "GET sessions/:sessionId/transcript", async (request) => {
    const { agent } = checked(requests["GET sessions/:sessionId/transcript"], request.query);
    const agentRef = managedAgent(config, request, agent);
    const { sessionId } = request.params;
    const key = glassKey(agentRef, sessionId, request);
    const glass = (await store.get(key))?.value;
    if (glass === undefined || clock.now() >= Date.parse(glass.until))
      throw new AppError("forbidden", "this needs a reason: break the glass first, with POST …/break-glass");
    // One entry for each reason: the console reads again and again while its page is open.
    if (!glass.isRead) {
      await auditRead({ store, clock }, request, { status: 200, detail: { agent, reason: glass.reason } });
      await store.put(key, { ...glass, isRead: true }, { ttlMs: Date.parse(glass.until) - clock.now() });
    }
    const { conversation, asker, until } = glass;
    const entries = await history.recent(sessionId, MAX_SHOWN_ENTRIES);
    const takeover = await activeTakeover(store, { ...agentRef, conversation }, clock.now());
    return {
      sessionId,
      ...agentRef,
      conversation,
      asker: shownAsker(asker),
      until,
      ...(takeover && { takeover: shownTakeover(takeover, request) }),
      entries: entries.flatMap(shownEntries),
    };
  });

  adminRoute(scope, "POST sessions/:sessionId/takeover", async (request) => {
    const { agent, name, ...given } = checked(requests["POST sessions/:sessionId/takeover"], request.body);
    const agentRef = managedAgent(config, request, agent);
    const { sessionId } = request.params;
    await auditDetail(deps, request, { agent, name, ...given });
    const turn = await lastTurn(agentRef, sessionId);
    const { audience, origin, standing } = turn;
    if (standing.owner.ownerType !== "agent")
      throw new AppError("conflict", "background work has no conversation: open the session of the conversation");
    const now = clock.now();
    const started = await startTakeover(store, {
      id: request.id,
      ...agentRef,
      conversation: audience.conversation,
      sessionId,
      origin,
      audience,
      operator: { name, id: idOf(request) },
      reason: given.reason,
      startedAt: isoTime(now),
      endsAt: isoTime(now + given.minutes * 60_000),
    });
    if (started.id !== request.id)
      throw new AppError("conflict", `${started.operator.name} answers in this conversation already`);
    await breakGlass(request, agentRef, turn, given);
    await announceTakeover(deps, started);
    return shownTakeover(started, request);
  });

  adminRoute(scope, "POST sessions/:sessionId/takeover/answer", async (request) => {
    const { agent, ...answer } = checked(requests["POST sessions/:sessionId/takeover/answer"], request.body);
    const agentRef = managedAgent(config, request, agent);
    noteDetail(request, { agent, answer: answer.id });
    const takeover = await ownTakeover(request, agentRef, request.params.sessionId);
    return { replyId: await answerAsOperator(deps, takeover, answer) };
  });

  adminRoute(scope, "POST sessions/:sessionId/takeover/end", async (request) => {
    const { agent } = checked(requests["POST sessions/:sessionId/takeover/end"], request.body);
    const agentRef = managedAgent(config, request, agent);
    noteDetail(request, { agent });
    const takeover = await ownTakeover(request, agentRef, request.params.sessionId);
    await concludeTakeover(deps, takeover);
    return { done: true };
  });

  adminRoute(scope, "GET takeovers", async (request) => {
    const agents = managedAgents(config, request);
    const items: TakeoverState[] = [];
    for await (const { value } of store.list(allTakeovers())) {
      const isManaged = agents.some(({ tenant, agent }) => tenant === value.tenant && agent === value.agent);
      if (isManaged && isActive(value, clock.now())) items.push(shownTakeover(value, request));
    }
    return { items };
  });
};

/** The name of the operator's token in the audit log. */
const idOf = (request: AdminRequest): string => operatorOf(request).token;

const shownTakeover = (takeover: Takeover, request: AdminRequest): TakeoverState => {
  const { sessionId, agent, tenant, conversation, operator, reason, startedAt, endsAt } = takeover;
  const isOwn = operator.id === idOf(request);
  return { sessionId, agent, tenant, conversation, operator: operator.name, reason, startedAt, endsAt, isOwn };
};

/** The prompts and answers of an entry, without tool calls. */
const shownEntries = (entry: HistoryEntry): TranscriptEntry[] => {
  const { at } = entry;
  if (entry.kind === "said") {
    const isOperator = entry.replyId.startsWith("takeover/");
    return [{ at, from: isOperator ? "operator" : "agent", text: entry.markdown }];
  }
  return [
    { at, from: "person", text: entry.text },
    ...(entry.finalText === "" ? [] : [{ at, from: "agent" as const, text: entry.finalText }]),
  ];
};
