import type { FastifyInstance, FastifyRequest } from "fastify";
import type { z } from "zod";
import { AppError } from "../../core/contract/app-error.ts";
import type { Operator, OperatorCheck } from "./operator.ts";
import { mayManage } from "./operator.ts";

const MAX_BODY_BYTES = 100_000;

export type AdminRequest = Pick<FastifyRequest, "headers" | "id">;

const operators = new WeakMap<FastifyRequest["headers"], Operator>();

/** Everything below `/admin/api/`: JSON, for operators only. What they may not see is not there for them. */
export const adminScope = async (
  app: FastifyInstance,
  check: OperatorCheck,
  addRoutes: (scope: FastifyInstance) => void,
): Promise<void> => {
  await app.register(async (scope) => {
    scope.addContentTypeParser("application/json", { parseAs: "string", bodyLimit: MAX_BODY_BYTES }, readJson);
    scope.addHook("onRequest", async (request) => {
      operators.set(request.headers, check(request.headers.authorization));
    });
    addRoutes(scope);
  });
};

export const mayUse = ({ headers }: AdminRequest, tenant: string): boolean => {
  const operator = operators.get(headers);
  return operator !== undefined && mayManage(operator, tenant);
};

const readJson = async (_request: FastifyRequest, body: string): Promise<unknown> => {
  try {
    return JSON.parse(body);
  } catch {
    throw new AppError("bad-input", "the body is no JSON");
  }
};

/** Every problem at once, by path. */
export const checked = <T>(schema: z.ZodType<T>, given: unknown): T => {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new AppError("bad-input", problems.join("; "));
};
