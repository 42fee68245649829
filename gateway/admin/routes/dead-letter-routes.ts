import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import type { DeadLetter } from "../../../core/contract/bus.ts";
import { allDeadLetters, deadLetterKey } from "../../../core/contract/bus.ts";
import { settleUndelivered, type Undelivered, undeliveredOn } from "../../../core/delivery/undelivered/index.ts";
import type { AdminDeps } from "../admin-request.ts";
import { type AdminRequest, checked, mustBePlatformAdmin } from "../admin-request.ts";
import { managedChannel, managedChannels } from "../managed-agents.ts";
import { PageQuery, pageOf, partsOfRef, readRef, refOf } from "../page.ts";
import { shownOrigin } from "../shown-work.ts";

const ListQuery = PageQuery.extend({
  kind: z.enum(["delivery", "message"]).default("delivery"),
  channel: z.string().optional(),
  agent: z.string().optional(),
});

/** Dead letters: deliveries by channel (D6), and messages that no handler could process. */
export const deadLetterRoutes = (scope: FastifyInstance, parts: AdminDeps): void => {
  const { config, store } = parts;

  scope.get("/admin/api/dead-letters", async (request) => {
    const { kind, channel, agent, ...page } = checked(ListQuery, request.query);
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

  const settle = (verb: "retry" | "dismiss") =>
    scope.post<{ Params: { ref: string } }>(`/admin/api/dead-letters/:ref/${verb}`, async (request) => {
      const { ref } = request.params;
      if (readRef(ref)?.[0] === "message") await settleMessage(request, ref, verb);
      else await settleDelivery(request, ref, verb);
      return { done: true };
    });

  const settleDelivery = async (request: AdminRequest, ref: string, verb: "retry" | "dismiss"): Promise<void> => {
    const [, name = "", id = ""] = partsOfRef(ref, 3);
    const { tenant, channel } = managedChannel(config, request, name);
    const what = verb === "retry" ? "send-again" : "dismiss";
    const settled = await settleUndelivered(parts, { tenant, channel, id }, what, request.id);
    if (settled === "gone")
      throw new AppError("conflict", "somebody has done something about it: look at the list again");
  };

  const settleMessage = async (request: AdminRequest, ref: string, verb: "retry" | "dismiss"): Promise<void> => {
    mustBePlatformAdmin(request);
    const [, durable = "", id = ""] = partsOfRef(ref, 3);
    const found = await store.get(deadLetterKey(durable, id));
    if (found === undefined)
      throw new AppError("conflict", "somebody has done something about it: look at the list again");
    if (verb === "retry") {
      throw new AppError("conflict", "only deliveries can be sent again; people were told that this one failed");
    }
    await store.delete(deadLetterKey(durable, id), { ifRevision: found.revision });
  };
  settle("retry");
  settle("dismiss");
};

const shownDelivery = ({ id, tenant, channel, letter, target, origin, reason, deadAt }: Undelivered) => {
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

/** Deliveries are listed by channel: here are the others. */
const shownMessage = ({ durable, subject, id, reason, attempts, deadAt }: DeadLetter) =>
  /^(?:outbox|relay)-/.test(durable)
    ? undefined
    : { ref: refOf("message", durable, id), kind: "message", queue: durable, subject, id, reason, attempts, deadAt };
