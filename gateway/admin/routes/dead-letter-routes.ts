import type { FastifyInstance } from "fastify";
import { AppError } from "../../../core/contract/app-error.ts";
import { allDeadLetters, type DeadLetter as DeadMessage, deadLetterKey } from "../../../core/contract/ports/bus.ts";
import { settleUndelivered, type Undelivered, undeliveredOn } from "../../../core/delivery/undelivered/index.ts";
import { type DeadLetter, requests } from "../../admin-api/index.ts";
import type { AdminDeps, AdminRequest } from "../admin-request.ts";
import { adminRoute, checked, mustBePlatformAdmin, noteDetail } from "../admin-request.ts";
import { managedChannel, managedChannels } from "../managed-resources.ts";
import { pageOf, partsOfRef, readRef, refOf } from "../page.ts";
import { shownOrigin } from "../shown-work.ts";

/** Dead letters: deliveries by channel (D6), and messages that no handler could process. */
export const deadLetterRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, store } = deps;

  adminRoute(scope, "GET dead-letters", async (request) => {
    const { kind, channel, agent, ...page } = checked(requests["GET dead-letters"], request.query);
    if (kind === "message") {
      mustBePlatformAdmin(request);
      return pageOf([{ name: kind, list: () => store.list(allDeadLetters()) }], page, shownMessage);
    }
    const sources = managedChannels(config, request, { channel, agent }).map((each) => ({
      name: each.channel,
      list: () => store.list(undeliveredOn(each.tenant, each.channel)),
    }));
    return pageOf(sources, page, shownDelivery);
  });

  const settleOne = (request: AdminRequest, ref: string, verb: "retry" | "dismiss"): Promise<void> =>
    readRef(ref)?.[0] === "message" ? settleMessage(request, ref, verb) : settleDelivery(request, ref, verb);

  const settle = (verb: "retry" | "dismiss") =>
    adminRoute(scope, `POST dead-letters/:ref/${verb}`, async (request) => {
      await settleOne(request, request.params.ref, verb);
      return { done: true };
    });

  // One after the other: a retry queues a delivery, and a platform should not get all of them at once.
  adminRoute(scope, "POST dead-letters/settle", async (request) => {
    const { action, refs } = checked(requests["POST dead-letters/settle"], request.body);
    const failed: { ref: string; code: string; message: string }[] = [];
    for (const ref of new Set(refs)) {
      try {
        await settleOne(request, ref, action);
      } catch (error) {
        if (!(error instanceof AppError) || error.code === "unavailable") throw error;
        failed.push({ ref, code: error.code, message: error.message });
      }
    }
    const done = new Set(refs).size - failed.length;
    noteDetail(request, { action, done, failed: failed.length });
    return { done, failed };
  });

  const settleDelivery = async (request: AdminRequest, ref: string, verb: "retry" | "dismiss"): Promise<void> => {
    const [, name = "", id = ""] = partsOfRef(ref, 3);
    const { tenant, channel } = managedChannel(config, request, name);
    const what = verb === "retry" ? "send-again" : "dismiss";
    const settled = await settleUndelivered(deps, { tenant, channel, id }, what, request.id);
    if (settled === "taken") throw alreadySettled();
  };

  const settleMessage = async (request: AdminRequest, ref: string, verb: "retry" | "dismiss"): Promise<void> => {
    mustBePlatformAdmin(request);
    const [, durable = "", id = ""] = partsOfRef(ref, 3);
    const found = await store.get(deadLetterKey(durable, id));
    if (found === undefined) throw alreadySettled();
    if (verb === "retry") {
      throw new AppError(
        "conflict",
        "only deliveries can be retried: dismiss this message, its sender was notified of the failure",
      );
    }
    await store.delete(deadLetterKey(durable, id), { ifRevision: found.revision });
  };
  settle("retry");
  settle("dismiss");
};

const alreadySettled = (): AppError =>
  new AppError("conflict", "this dead letter was already retried or dismissed: reload the list");

const shownDelivery = ({ id, tenant, channel, letter, target, origin, reason, deadAt }: Undelivered): DeadLetter => {
  const replyId = REPLY_OF_TURN.exec(letter.id)?.[0];
  return {
    ref: refOf("delivery", channel, id),
    kind: "delivery",
    tenant,
    channel,
    conversation: target,
    origin: origin && shownOrigin(origin),
    ...(replyId !== undefined && { replyId }),
    reason,
    deadAt,
  };
};

/** Only the reply of a turn has a trace; notices have none. */
const REPLY_OF_TURN = /^t-[^/]+\/(?:final|notice|trouble)/;

/** Omits deliveries, which are listed by channel. */
const shownMessage = ({ durable, subject, id, reason, attempts, deadAt }: DeadMessage): DeadLetter | undefined =>
  /^(?:outbox|relay)-/.test(durable)
    ? undefined
    : { ref: refOf("message", durable, id), kind: "message", queue: durable, subject, id, reason, attempts, deadAt };
