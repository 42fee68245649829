import type { FastifyInstance } from "fastify";
import type { AdminParts } from "./admin-parts.ts";
import { auditRoutes } from "./audit-routes.ts";
import { channelRoutes } from "./channel-routes.ts";
import { deadLetterRoutes } from "./dead-letter-routes.ts";
import { meRoutes } from "./me-routes.ts";
import { peopleRoutes } from "./people-routes.ts";
import { scheduleRoutes } from "./schedule-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { subtaskRoutes } from "./subtask-routes.ts";
import { tenantRoutes } from "./tenant-routes.ts";
import { traceRoutes } from "./trace-routes.ts";
import { unreachableRoutes } from "./unreachable-routes.ts";

/** Everything that operators can ask for: see docs/admin-api.md. */
export const adminRoutes = (scope: FastifyInstance, parts: AdminParts): void => {
  const all = [
    meRoutes,
    channelRoutes,
    sessionRoutes,
    subtaskRoutes,
    scheduleRoutes,
    deadLetterRoutes,
    peopleRoutes,
    tenantRoutes,
    traceRoutes,
    unreachableRoutes,
    auditRoutes,
  ];
  for (const addRoutes of all) addRoutes(scope, parts);
};
