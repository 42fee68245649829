import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../core/contract/app-error.ts";
import type { SignInGuard } from "../http/index.ts";
import { attachOperator } from "./admin-request.ts";
import type { AuditDeps } from "./audit.ts";
import { auditHooks } from "./audit.ts";
import type { OperatorCheck } from "./operator.ts";

const MAX_BODY_BYTES = 100_000;

/** Identifies operators and records their changes. */
export interface AdminGate extends AuditDeps {
  readonly check: OperatorCheck;
  readonly signIns: SignInGuard;
}

/** The scope of `/admin/api/`: JSON, for operators only. Resources of other tenants answer 404. */
export const adminScope = async (
  app: FastifyInstance,
  { check, signIns, ...audit }: AdminGate,
  addRoutes: (scope: FastifyInstance) => void,
): Promise<void> => {
  await app.register(async (scope) => {
    scope.addContentTypeParser("application/json", { parseAs: "string", bodyLimit: MAX_BODY_BYTES }, readJson);
    scope.addHook("onRequest", async (request, reply) => {
      const { authorization } = request.headers;
      attachOperator(
        request,
        signIns.check(request, reply, "admin", () => check(authorization)),
      );
    });
    auditHooks(scope, audit);
    addRoutes(scope);
  });
};

const readJson = async (_request: FastifyRequest, body: string): Promise<unknown> => {
  // Clients may send the JSON content type with an empty body.
  if (body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    throw new AppError("bad-input", "the body is not valid JSON");
  }
};
