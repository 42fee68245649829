import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../core/contract/app-error.ts";
import type { AuditParts } from "./audit-hooks.ts";
import { auditHooks } from "./audit-hooks.ts";
import type { OperatorCheck } from "./operator.ts";
import { beginVisit } from "./visit.ts";

const MAX_BODY_BYTES = 100_000;

/** Who may come, and where it is noted what they did. */
export interface AdminGate extends AuditParts {
  readonly check: OperatorCheck;
}

/** Everything below `/admin/api/`: JSON, for operators only. What they may not see is not there for them. */
export const adminScope = async (
  app: FastifyInstance,
  { check, ...audit }: AdminGate,
  addRoutes: (scope: FastifyInstance) => void,
): Promise<void> => {
  await app.register(async (scope) => {
    scope.addContentTypeParser("application/json", { parseAs: "string", bodyLimit: MAX_BODY_BYTES }, readJson);
    scope.addHook("onRequest", async (request) => beginVisit(request, check(request.headers.authorization)));
    auditHooks(scope, audit);
    addRoutes(scope);
  });
};

const readJson = async (_request: FastifyRequest, body: string): Promise<unknown> => {
  // A POST that needs no body may say that it is JSON all the same.
  if (body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    throw new AppError("bad-input", "the body is no JSON");
  }
};
