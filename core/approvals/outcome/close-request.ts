import { replaces } from "../../contract/messages/replacement.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { textsFor } from "../../contract/texts/texts.ts";
import { publishReply } from "../../delivery/index.ts";
import { requestIdOf } from "../asking/ask-approval.ts";
import type { ApprovalDeps } from "../deps.ts";
import type { Approval } from "../record/approval-record.ts";
import { removeFromIndex } from "../record/open-approvals.ts";
import { decisionText } from "./outcome-text.ts";

/**
 * Replaces the buttons of a request by its decision; a platform that cannot edit shows a notice instead. Idempotent: the
 * text depends on the decision alone.
 */
export const closeRequest = async (deps: ApprovalDeps, approval: Approval): Promise<void> => {
  const { id, tenant, tool, asked, request, decidedAt, createdAt, traceId } = approval;
  const decision = decisionText(approval, textsFor(approval.locale));
  const at = decidedAt ?? createdAt;
  await publishReply(deps.bus, {
    id: `${id}/decision`,
    tenant,
    agent: asked.agent,
    sessionId: null,
    kind: "notice",
    markdown: `\`${tool}\`: ${decision}`,
    data: replaces({ replyId: requestIdOf(id), markdown: `${request}\n${decision}` }),
    origin: null,
    audience: asked.audience,
    mayRepeat: true,
    createdAt: isoTime(Date.parse(at)),
    traceId,
  });
  await removeFromIndex(deps.store, approval);
};
