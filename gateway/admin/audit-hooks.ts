import type { FastifyInstance, FastifyRequest } from "fastify";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import { isoTime } from "../../core/contract/clock.ts";
import type { Logger } from "../../core/contract/logger.ts";
import type { Store } from "../../core/contract/store.ts";
import type { AuditEntry } from "./audit-record.ts";
import { auditId, auditKey } from "./audit-record.ts";
import { visitOf } from "./visit.ts";

export interface AuditParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Everything that changes something is noted before it is done, and again when it is known how it ended. */
export const auditHooks = (scope: FastifyInstance, { store, clock, logger }: AuditParts): void => {
  const begun = new WeakMap<FastifyRequest, AuditEntry>();
  scope.addHook("preHandler", async (request) => {
    if (request.method === "GET" || request.method === "HEAD") return;
    const entry = entryOf(request, clock.now());
    await store.put(auditKey(entry.id), entry);
    begun.set(request, entry);
  });
  scope.addHook("onResponse", async (request, reply) => {
    const entry = begun.get(request);
    if (entry === undefined) return;
    const { tenant = entry.tenant, detail } = visitOf(request);
    const ended = { ...entry, ...(tenant && { tenant }), ...(detail && { detail }), status: reply.statusCode };
    // The answer is out already: what is missing in the log is said where somebody sees it.
    await store
      .put(auditKey(entry.id), ended)
      .catch((error: unknown) => logger.warn({ audit: entry.id, error: messageOf(error) }, "audit entry has no end"));
  });
};

const entryOf = (request: FastifyRequest, now: number): AuditEntry => {
  const { operator } = visitOf(request);
  return {
    id: auditId(now, request.id),
    at: isoTime(now),
    operator,
    action: `${request.method} ${request.routeOptions.url}`,
    target: { ...(request.params as Record<string, string>) },
    ...(operator.role === "org_admin" && { tenant: operator.tenant }),
  };
};
