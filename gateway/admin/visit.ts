import type { FastifyRequest } from "fastify";
import { AppError } from "../../core/contract/app-error.ts";
import type { Operator } from "./operator.ts";
import { mayManage } from "./operator.ts";

/** What a route needs to know of a request, whatever its parameters are. */
export type AdminRequest = Pick<FastifyRequest, "headers" | "id">;

/** A request of an operator, and what the audit log is to say of it. */
export interface Visit {
  readonly operator: Operator;
  /** The tenant that it turned out to be about. */
  tenant?: string;
  detail?: Record<string, unknown>;
}

const visits = new WeakMap<FastifyRequest["headers"], Visit>();

export const beginVisit = ({ headers }: AdminRequest, operator: Operator): void =>
  void visits.set(headers, { operator });

export const visitOf = ({ headers }: AdminRequest): Visit => {
  const visit = visits.get(headers);
  if (visit === undefined) throw new AppError("unauthorised", "an operator's token is needed");
  return visit;
};

export const operatorOf = (request: AdminRequest): Operator => visitOf(request).operator;

/** Whether the operator may see and change what belongs to a tenant. */
export const mayUse = (request: AdminRequest, tenant: string): boolean => {
  const visit = visitOf(request);
  const may = mayManage(visit.operator, tenant);
  if (may) visit.tenant = tenant;
  return may;
};

/** For what belongs to no tenant. */
export const mustBePlatformAdmin = (request: AdminRequest): void => {
  if (operatorOf(request).role === "platform_admin") return;
  throw new AppError("forbidden", "this belongs to no tenant: ask a platform admin");
};

/** Has the audit log say more about it. No message text, no secrets. */
export const noteDetail = (request: AdminRequest, detail: Record<string, unknown>): void => {
  const visit = visitOf(request);
  visit.detail = { ...visit.detail, ...detail };
};
