import type { StreamResponse } from "@a2a-js/sdk";
import { A2A_LEGACY_PROTOCOL_VERSION } from "@a2a-js/sdk/compat/v0_3";
import { V03PushNotificationSerializer } from "@a2a-js/sdk/compat/v0_3/server";
import { V1PushNotificationSerializer } from "@a2a-js/sdk/server";
import { changeTask, hasEnded, type InboundTask, inboundMessageId, readTask } from "../../../core/a2a/inbound/index.ts";
import type { DeploymentIdentity } from "../../../core/a2a/index.ts";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { PushDue } from "../../../core/contract/messages/addresses.ts";
import type { Webhook } from "../../../core/contract/messages/inbound-call.ts";
import { ack, type Bus, type Outcome, type Received } from "../../../core/contract/ports/bus.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import type { Checkpoint, Tracer } from "../../../core/contract/ports/telemetry.ts";
import { type TraceHeaders, traceHeaders } from "../../../core/lib/index.ts";
import { Redirected } from "../../../core/net/index.ts";
import { turnSpanId } from "../../../core/telemetry/index.ts";
import { turnKey } from "../../../core/turns/record/index.ts";
import { statusUpdate, toWire } from "./to-wire.ts";
import { openWebhook } from "./webhooks.ts";

interface PushDeps {
  readonly bus: Bus;
  readonly store: Store;
  readonly logger: Logger;
  readonly checkpoint: Checkpoint;
  readonly tracer?: Tracer | undefined;
  readonly identity: DeploymentIdentity;
  /** Guarded fetch: private networks only if allowed. */
  readonly fetch: typeof globalThis.fetch;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;
/** About half an hour of retries. */
const MAX_ATTEMPTS = 14;
const TIMEOUT_MS = 10_000;
const TOKEN_HEADER = "x-a2a-notification-token";

const current = new V1PushNotificationSerializer();
const legacy = new V03PushNotificationSerializer();

/** Notifies a webhook of a status change, with retries. A webhook that keeps failing is turned off. */
export const handlePushDue = async (deps: PushDeps, due: PushDue, { attempt }: Received): Promise<Outcome> => {
  const task = await readTask(deps.store, due);
  const webhook = task?.webhooks.find(({ id }) => id === due.webhook);
  // A later change has its own notification behind this one in the queue.
  if (task === undefined || webhook === undefined || webhook.isOff || task.changes !== due.change) return ack;
  const fields = { task: task.id, webhook: webhook.id, attempt };
  await deps.checkpoint("push.before");
  try {
    const { status } = await post(deps.fetch, task, openWebhook(deps.identity, webhook), await traceOf(deps, task));
    await deps.checkpoint("push.sent");
    if (status < 300) return ack;
    if (isRefusal(status)) {
      deps.logger.warn({ ...fields, status }, "webhook rejected notification");
      return ack;
    }
    deps.logger.info({ ...fields, status }, "webhook notification failed, retrying");
  } catch (error) {
    // A redirect may lead to a maintenance page, so it is retried.
    const isFinal = error instanceof AppError && !(error instanceof Redirected);
    const isPermanent = isFinal && (error.code === "forbidden" || error.code === "data-unusable");
    if (isPermanent) return turnOff(deps, due, messageOf(error));
    deps.logger.info({ ...fields, error: messageOf(error) }, "webhook unreachable, retrying");
  }
  if (attempt >= MAX_ATTEMPTS) return turnOff(deps, due, "all attempts failed for half an hour");
  return { retryInMs: Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)) };
};

/** Trace headers of the turn that worked on the task last, so that the receiver joins its trace. */
const traceOf = async ({ store, tracer }: PushDeps, task: InboundTask): Promise<TraceHeaders | undefined> => {
  const asked = task.said.findLast(({ from }) => from === "caller");
  if (tracer === undefined || asked === undefined) return undefined;
  const { tenant, agent } = task;
  const turn = await store.get(turnKey({ tenant, agent, id: inboundMessageId(task, asked) }));
  if (turn === undefined) return undefined;
  const { traceId, turnId } = turn.value;
  return traceHeaders(traceId, turnSpanId(turnId), tracer.isSampled(traceId));
};

const post = async (
  fetch: PushDeps["fetch"],
  task: InboundTask,
  webhook: Webhook,
  trace: TraceHeaders | undefined,
): Promise<Response> => {
  const { url, token, authentication, version } = webhook;
  const event: StreamResponse = hasEnded(task)
    ? { payload: { $case: "task", value: toWire(task) } }
    : statusUpdate(task);
  const serializer = version === A2A_LEGACY_PROTOCOL_VERSION ? legacy : current;
  const { body, contentType } = serializer.serialize(event, toWire(task));
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": contentType,
      ...trace,
      ...(token !== undefined && { [TOKEN_HEADER]: token }),
      ...(authentication && { authorization: `${authentication.scheme} ${authentication.credentials}` }),
    },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  return response;
};

/** A retry would get the same response. */
const isRefusal = (status: number): boolean => status < 500 && status !== 408 && status !== 429;

const turnOff = async (deps: PushDeps, due: PushDue, why: string): Promise<Outcome> => {
  deps.logger.warn({ task: due.id, webhook: due.webhook, reason: why }, "webhook turned off");
  await changeTask(deps, due, (task) => {
    const off = task?.webhooks.map((webhook) => (webhook.id === due.webhook ? { ...webhook, isOff: true } : webhook));
    return task && off ? { ...task, webhooks: off } : task;
  });
  return ack;
};
