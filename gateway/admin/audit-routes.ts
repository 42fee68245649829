import type { FastifyInstance } from "fastify";
import type { AdminParts } from "./admin-parts.ts";
import { allAudit } from "./audit-record.ts";
import { checked } from "./checked.ts";
import { PageQuery, pageOf } from "./page.ts";
import { operatorOf } from "./visit.ts";

/** What operators did, the newest first. An org admin sees what was done in their tenant. */
export const auditRoutes = (scope: FastifyInstance, { store }: AdminParts): void => {
  scope.get("/admin/api/audit", async (request) => {
    const page = checked(PageQuery, request.query);
    const operator = operatorOf(request);
    const log = { name: "audit", list: () => store.list(allAudit()) };
    return pageOf([log], page, (entry) =>
      operator.role === "platform_admin" || entry.tenant === operator.tenant ? entry : undefined,
    );
  });
};
