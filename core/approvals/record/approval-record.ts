import { hash } from "node:crypto";
import { z } from "zod";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import { Audience, WorkContext } from "../../contract/messages/work-context.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { collection, keyOf, prefixOf, type Store } from "../../contract/ports/store.ts";
import { type Updated, update } from "../../contract/ports/update.ts";
import { signalProgress } from "../../lib/index.ts";
import type { CoreDeps } from "../../turns/index.ts";

export const ApprovalState = z.enum(["pending", "approved", "denied", "expired", "withdrawn", "running", "ended"]);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** The result of an approved call. refused: a right or the tool is missing by now, so it did not run. */
const CallOutcome = z.enum(["done", "failed", "interrupted", "refused"]);
export type CallOutcome = z.infer<typeof CallOutcome>;

/** A tool call that waits for a person, stored before the person is asked (T4). Its fields up to `state` never change. */
export const Approval = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  /** The agent whose tool it is. */
  agent: z.string(),
  tool: z.string(),
  /** Digest of the tool's definition when the person was asked. */
  definition: z.string(),
  isDestructive: z.boolean(),
  /** The call may run again after a crash. */
  isRepeatable: z.boolean(),
  /** The arguments as JSON text: exactly these are shown and run. */
  input: z.string(),
  /** Of everything that the person approves. */
  digest: z.string(),
  /** The request in the form that people see, without the line about buttons. */
  request: z.string(),
  /** The locale of its readers, so that the decision is in the same language. */
  locale: z.string().optional(),
  /** Addresses in the arguments that the asker wrote, because the session may have moved on when the call runs. */
  urls: z.array(z.string()).optional(),
  idempotencyKey: z.string(),
  turnId: z.string(),
  ...WorkContext.shape,
  /** The conversation that shows the request, and the agent that it belongs to. */
  asked: z.looseObject({ agent: z.string(), audience: Audience, isHome: z.boolean() }),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),

  state: ApprovalState,
  decidedAt: z.iso.datetime().optional(),
  /** `command`: the turn of the press, so that a repeat after a crash recognises its own decision. */
  decidedBy: z
    .looseObject({ name: z.string(), channel: z.string(), accountId: z.string(), command: z.string() })
    .optional(),
  /** The approval also holds for the same calls of the next hour. */
  isForHour: z.boolean().optional(),
  /** Number of runs that were started. */
  runs: z.int(),
  outcome: CallOutcome.optional(),
  /** The tool's result, or the reason why there is none. */
  output: z.string().optional(),
  endedAt: z.iso.datetime().optional(),
  /** The message whose turn reports the outcome. */
  toldBy: z.string().optional(),
});
export type Approval = z.infer<typeof Approval>;

const approvals = collection("approvals", Approval, { ttlMs: RETENTION_MS });

export interface ApprovalKey {
  readonly tenant: string;
  readonly id: string;
}

/** A press names the id alone, so the agent is not part of the key. */
export const approvalKey = ({ tenant, id }: ApprovalKey) => keyOf(approvals, tenant, id);
/** For operators: it scans. */
export const approvalsOf = (tenant: string) => prefixOf(approvals, tenant);

export const readApproval = async (store: Store, key: ApprovalKey): Promise<Approval | undefined> =>
  (await store.get(approvalKey(key)))?.value;

const PREFIX = "approval-";

export const isApprovalId = (id: string): boolean => id.startsWith(PREFIX);

/** Deterministic: a repeated tool call finds the same request. */
export const approvalIdOf = ({ tenant, agent }: AgentRef, idempotencyKey: string): string =>
  `${PREFIX}${hash("sha256", JSON.stringify([tenant, agent, idempotencyKey]), "hex").slice(0, 12)}`;

/** Covers what runs, and with which definition, so that nothing else can run in its place. */
export const digestOf = ({
  tenant,
  agent,
  id,
  tool,
  definition,
  input,
}: Pick<Approval, "tenant" | "agent" | "id" | "tool" | "definition" | "input">): string =>
  hash("sha256", JSON.stringify([tenant, agent, id, tool, definition, input]), "hex");

/** A decision or an end is final; no further change of the work follows. */
export const isOpen = ({ state }: Pick<Approval, "state">): boolean =>
  state === "pending" || state === "approved" || state === "running";

/**
 * Changes a record by compare-and-set, and logs and counts a transition. `change` may run several times and returns the
 * same object to write nothing.
 */
export const changeApproval = async (
  { store, bus, logger, meter }: Pick<CoreDeps, "store" | "bus" | "logger" | "meter">,
  key: ApprovalKey,
  change: (approval: Approval) => Approval,
): Promise<Updated<Approval | undefined>> => {
  const updated = await update(store, approvalKey(key), (known) => known && change(known));
  const { outcome, before, after } = updated;
  if (outcome === "written" && after !== undefined && before?.state !== after.state) {
    const { id, agent, tool, turnId, traceId, state } = after;
    logger.info(
      { approval: id, tool, agent, turnId, traceId, from: before?.state, to: state, outcome: after.outcome },
      "approval changed",
    );
    if (!isOpen(after)) meter.count("approvals_total", { agent, outcome: after.outcome ?? state });
    signalProgress(bus, after);
  }
  return updated;
};
