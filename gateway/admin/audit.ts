import type { FastifyInstance, FastifyRequest } from "fastify";
import { messageOf } from "../../core/contract/app-error.ts";
import { type Clock, isoTime } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { collection, keyOf, prefixOf, type Store } from "../../core/contract/ports/store.ts";
import { newestFirst } from "../../core/contract/ports/token.ts";
import { AuditEntry, requests } from "../admin-api/index.ts";
import { type AdminDeps, adminRoute, checked, noteDetail, operatorOf, operatorRequestOf } from "./admin-request.ts";
import { pageOf } from "./page.ts";

const TTL_MS = 400 * 24 * 3_600_000;
const entries = collection("audit", AuditEntry, { ttlMs: TTL_MS });

/** Sorts the newest first. */
const auditId = (at: number, requestId: string): string => `${newestFirst(at)}-${requestId}`;
const auditKey = (id: string) => keyOf(entries, id);
export const allAudit = () => prefixOf(entries);

export interface AuditDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The entries of requests in progress. */
const begun = new WeakMap<FastifyRequest, AuditEntry>();

/** Stores the details of a request before it is carried out: a break-glass must not lose its reason in a crash (R4). */
export const auditDetail = async (
  { store }: Pick<AuditDeps, "store">,
  request: FastifyRequest,
  detail: Record<string, unknown>,
): Promise<void> => {
  noteDetail(request, detail);
  const entry = begun.get(request);
  const { tenant = entry?.tenant } = operatorRequestOf(request);
  if (entry !== undefined) await store.put(auditKey(entry.id), { ...entry, ...(tenant && { tenant }), detail });
};

/** Stores an audit entry before each change, and completes it with the outcome. */
export const auditHooks = (scope: FastifyInstance, { store, clock, logger }: AuditDeps): void => {
  scope.addHook("preHandler", async (request) => {
    if (request.method === "GET" || request.method === "HEAD") return;
    const entry = entryOf(request, clock.now());
    await store.put(auditKey(entry.id), entry);
    begun.set(request, entry);
  });
  scope.addHook("onResponse", async (request, reply) => {
    const entry = begun.get(request);
    if (entry === undefined) return;
    const { tenant = entry.tenant, detail } = operatorRequestOf(request);
    const ended = { ...entry, ...(tenant && { tenant }), ...(detail && { detail }), status: reply.statusCode };
    // The response is already sent, so a failure can only be logged.
    await store
      .put(auditKey(entry.id), ended)
      .catch((error: unknown) =>
        logger.warn({ audit: entry.id, error: messageOf(error) }, "could not complete audit entry"),
      );
  });
};

/** Stores an entry for a read of private words, before they are returned (R4). */
export const auditRead = async (
  { store, clock }: Pick<AuditDeps, "store" | "clock">,
  request: FastifyRequest,
  outcome: Pick<AuditEntry, "status" | "detail">,
): Promise<void> => {
  const entry = entryOf(request, clock.now());
  const { tenant = entry.tenant } = operatorRequestOf(request);
  await store.put(auditKey(entry.id), { ...entry, ...(tenant && { tenant }), ...outcome });
};

const entryOf = (request: FastifyRequest, now: number): AuditEntry => {
  const { operator } = operatorRequestOf(request);
  return {
    id: auditId(now, request.id),
    at: isoTime(now),
    operator,
    action: `${request.method} ${request.routeOptions.url}`,
    target: { ...(request.params as Record<string, string>) },
    ...(operator.role === "org_admin" && { tenant: operator.tenant }),
  };
};

/** Lists the changes by operators, the newest first. An org admin sees those of their tenant. */
export const auditRoutes = (scope: FastifyInstance, { store }: AdminDeps): void => {
  adminRoute(scope, "GET audit", async (request) => {
    const page = checked(requests["GET audit"], request.query);
    const operator = operatorOf(request);
    const log = { name: "audit", list: () => store.list(allAudit()) };
    return pageOf([log], page, (entry) =>
      operator.role === "platform_admin" || entry.tenant === operator.tenant ? entry : undefined,
    );
  });
};
