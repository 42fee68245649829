import type { ApprovalDecision, Approvals } from "../../contract/approvals.ts";
import { REPLACEABLE } from "../../contract/messages/replacement.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { createOnce } from "../../contract/ports/update.ts";
import { textsFor } from "../../contract/texts/texts.ts";
import { type ApprovalRule, type Tool, type ToolContext, workContextOfTool } from "../../contract/tool.ts";
import { publishReply } from "../../delivery/index.ts";
import { reserveCall } from "../../subtasks/index.ts";
import { writtenUrls } from "../../turns/index.ts";
import type { ApprovalDeps } from "../deps.ts";
import { type Approval, approvalIdOf, approvalKey, digestOf, readApproval } from "../record/approval-record.ts";
import { isGranted } from "../record/hour-grant.ts";
import { indexApproval } from "../record/open-approvals.ts";
import { howToDecide, MAX_ARGUMENT_CHARS, requestActions, requestText, shownArguments } from "./request-text.ts";
import { whereToAsk } from "./where-to-ask.ts";

/** Requests of one conversation or subtask that may wait at once. */
const MAX_WAITING = 10;

/** Turns ask here for each call of a tool with an approval rule. */
export const requestApprovals = (deps: ApprovalDeps): Approvals => ({
  decide: async (tool, input, context) =>
    tool.approval === undefined ? { run: true } : askApproval(deps, tool, tool.approval, input, context),
});

/**
 * Asks people to approve a call, unless an approval of the last hour covers it (T4). Idempotent per call: a repeat after a
 * crash continues at the step that failed.
 */
const askApproval = async (
  deps: ApprovalDeps,
  tool: Tool,
  rule: ApprovalRule,
  input: unknown,
  context: ToolContext,
): Promise<ApprovalDecision> => {
  const { tenant, agent, idempotencyKey } = context;
  const id = approvalIdOf({ tenant, agent }, idempotencyKey);
  const known = await readApproval(deps.store, { tenant, id });
  if (known !== undefined) {
    await publishRequest(deps, known);
    return waiting(known);
  }
  const definition = { tool: tool.name, definition: rule.definition };
  const canHold = !isForOneCall(rule) && context.permit.allows("confirm");
  if (canHold && (await isGranted(deps.store, { tenant, agent }, context, definition, deps.clock.now()))) {
    deps.logger.info({ tool: tool.name, agent, traceId: context.traceId }, "call runs, approved for an hour");
    return { run: true };
  }
  const approval = await newApproval(deps, tool, rule, input, context);
  if (typeof approval === "string") return { run: false, text: approval, isDenied: true };
  if (!(await reserveCall(deps, MAX_WAITING, context, { id, name: `${tool.name}, once approved` }))) {
    const text = `Not run: ${MAX_WAITING} calls wait for an approval already. Wait until some of them are decided.`;
    return { run: false, text, isDenied: true };
  }
  await deps.checkpoint("approval.reserved");
  // Before the record, so that no request is without a timer.
  await deps.bus.publish(subjectsOf(tenant).approvalDue(agent), { tenant, agent, id }, { id: `${id}/due`, key: id });
  await deps.checkpoint("approval.timed");
  if ((await createOnce(deps.store, approvalKey(approval), approval)) !== undefined) {
    const { turnId, traceId } = approval;
    deps.logger.info({ approval: id, tool: tool.name, agent, turnId, traceId }, "approval requested");
    deps.meter.count("approvals_requested_total", { agent });
  }
  await deps.checkpoint("approval.stored");
  await publishRequest(deps, approval);
  return waiting(approval);
};

/** A text is the reason why people are not asked. */
const newApproval = async (
  deps: ApprovalDeps,
  tool: Tool,
  rule: ApprovalRule,
  value: unknown,
  context: ToolContext,
): Promise<Approval | string> => {
  const { definition } = rule;
  const { tenant, agent, idempotencyKey, turnId } = context;
  const id = approvalIdOf({ tenant, agent }, idempotencyKey);
  const input = JSON.stringify(value ?? {});
  const shown = shownArguments(input);
  if (shown.length > MAX_ARGUMENT_CHARS) {
    return (
      `Not run: a person must approve this call and see its arguments, but they have ${shown.length} characters; ` +
      `at most ${MAX_ARGUMENT_CHARS} can be shown. Use shorter arguments or several calls.`
    );
  }
  const asked = await whereToAsk(deps, context);
  if (asked === undefined) return NOBODY_TO_ASK;
  const locale = localeOfRequest(deps, context, asked);
  const request = requestText(tool, context, shown, textsFor(locale));
  const refusal = await moderated(deps, context, `${id}/request`, request);
  if (refusal !== undefined) return refusal;
  const now = deps.clock.now();
  const expireMs = deps.asking.of({ tenant, agent })?.expireMs ?? 0;
  const urls = await writtenUrls(input, context);
  const bound = { id, tenant, agent, tool: tool.name, definition, input };
  return {
    ...bound,
    isDestructive: isForOneCall(rule),
    isRepeatable: tool.repeatable === true,
    digest: digestOf(bound),
    request,
    ...(locale !== undefined && { locale }),
    ...(urls.length > 0 && { urls }),
    idempotencyKey,
    turnId,
    ...workContextOfTool(context),
    asked,
    createdAt: isoTime(now),
    expiresAt: isoTime(now + expireMs),
    state: "pending",
    runs: 0,
  };
};

/** The asker's language where they are asked themselves; the home conversation has that of its channel. */
const localeOfRequest = (
  { asking }: ApprovalDeps,
  { tenant, agent, asker }: ToolContext,
  { audience, isHome }: Approval["asked"],
): string | undefined => {
  const own = isHome ? undefined : asker.locale;
  return own ?? asking.of({ tenant, agent })?.agent.defaultsOn(audience.conversation.channel).locale;
};

const isForOneCall = (rule: ApprovalRule): boolean => rule.isDestructive || rule.isForOneCall === true;

const NOBODY_TO_ASK =
  "Not run: a person must approve this call, and there is no conversation in which to ask. The agent needs a `home`.";

/** The arguments are a text of the model, so they are moderated like an answer. */
const moderated = async (
  { moderator }: ApprovalDeps,
  { tenant, agent, audience }: ToolContext,
  id: string,
  text: string,
): Promise<string | undefined> => {
  if (!moderator?.checksAnswers) return undefined;
  const { conversation, accountId: account } = audience;
  const where = { channel: conversation.channel, conversation: conversation.kind };
  const verdict = await moderator.check({ kind: "answer", id, tenant, agent, ...where, account, text });
  return verdict.allowed ? undefined : `Not run: the request for an approval was refused: ${verdict.text}`;
};

export const requestIdOf = (id: string): string => `${id}/request`;

/** Idempotent: the same request has the same id and text. */
const publishRequest = async (deps: ApprovalDeps, approval: Approval): Promise<void> => {
  if (approval.state !== "pending") return;
  const { id, tenant, asked, request, createdAt, traceId } = approval;
  await indexApproval(deps.store, approval);
  await deps.checkpoint("approval.indexed");
  await publishReply(deps.bus, {
    id: requestIdOf(id),
    tenant,
    agent: asked.agent,
    sessionId: null,
    kind: "notice",
    markdown: `${request}\n${howToDecide(approval, Date.parse(createdAt))}`,
    actions: requestActions(approval, textsFor(approval.locale)),
    data: REPLACEABLE,
    origin: null,
    audience: asked.audience,
    mayRepeat: true,
    createdAt,
    traceId,
  });
  await deps.checkpoint("approval.published");
};

/** The result of the call for the model while people decide. */
const waiting = ({ id, asked, asker, expiresAt }: Approval): ApprovalDecision => ({
  run: false,
  isDenied: false,
  text:
    `Not run yet: a person must approve this call first (${id}). ` +
    `${asked.isHome ? "The people of my home conversation were" : `${asker.name} was`} asked, with the exact arguments. ` +
    `The request expires at ${expiresAt}. The outcome arrives later by itself: do not repeat the call and do not wait. ` +
    "If you have nothing else to do, say briefly that it waits for an approval.",
});
