import type { FastifyInstance } from "fastify";
import type { AdminDeps } from "./admin-request.ts";
import { auditRoutes } from "./audit.ts";
import { abuseRoutes } from "./routes/abuse-routes.ts";
import { searchRoutes } from "./routes/break-glass/search-routes.ts";
import { takeoverRoutes } from "./routes/break-glass/takeover-routes.ts";
import { channelLogRoutes } from "./routes/channel-log-routes.ts";
import { channelRoutes, unreachableRoutes } from "./routes/channel-routes.ts";
import { configurationRoutes } from "./routes/configuration-routes.ts";
import { deadLetterRoutes } from "./routes/dead-letter-routes.ts";
import { feedbackRoutes } from "./routes/feedback-routes.ts";
import { overviewRoutes } from "./routes/overview-routes.ts";
import { peopleRoutes } from "./routes/people-routes.ts";
import { scheduleRoutes } from "./routes/schedule-routes.ts";
import { sessionRoutes } from "./routes/session-routes.ts";
import { subtaskRoutes } from "./routes/subtask-routes.ts";
import { meRoutes, tenantRoutes } from "./routes/tenant-routes.ts";
import { approvalRoutes } from "./routes/tools/approval-routes.ts";
import { toolCallRoutes } from "./routes/tools/tool-call-routes.ts";
import { toolServerRoutes } from "./routes/tools/tool-server-routes.ts";
import { traceRoutes } from "./routes/trace-routes.ts";
import { useRoutes } from "./routes/use-routes.ts";

/** All routes of the admin API: see docs/admin-api.md. */
export const adminRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const all = [
    meRoutes,
    overviewRoutes,
    channelRoutes,
    channelLogRoutes,
    sessionRoutes,
    takeoverRoutes,
    subtaskRoutes,
    approvalRoutes,
    toolCallRoutes,
    toolServerRoutes,
    scheduleRoutes,
    deadLetterRoutes,
    peopleRoutes,
    searchRoutes,
    abuseRoutes,
    feedbackRoutes,
    tenantRoutes,
    traceRoutes,
    unreachableRoutes,
    useRoutes,
    configurationRoutes,
    auditRoutes,
  ];
  for (const addRoutes of all) addRoutes(scope, deps);
};
