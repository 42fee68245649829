import type { FastifyInstance } from "fastify";
import { AppError } from "../../../core/contract/app-error.ts";
import { requests } from "../../admin-api/index.ts";
import { type AdminDeps, adminEventRoute, checked } from "../admin-request.ts";
import { channelLogEvents } from "../channel-log-events.ts";
import { managedChannel } from "../managed-resources.ts";

/** Streams of one process; each holds a connection and a bounded number of lines. */
const MAX_READERS = 20;

/** The log lines of a channel in this process, as they are written. */
export const channelLogRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, clock, instance, logTail: tail } = deps;
  let readers = 0;

  adminEventRoute(scope, "GET channels/:channel/log", "log", async (request, signal) => {
    const { channel } = managedChannel(config, request, request.params.channel);
    const { level: lowest } = checked(requests["GET channels/:channel/log"], request.query);
    if (tail === undefined) throw new AppError("not-found", "this process keeps no log lines: read its log instead");
    if (readers >= MAX_READERS)
      throw new AppError("unavailable", `${MAX_READERS} readers follow logs of this process already: close some`);
    readers++;
    signal.addEventListener("abort", () => readers--);
    const logLevel = () => config.logLevel;
    return channelLogEvents({ tail, clock, channel, lowest, instance, logLevel, signal });
  });
};
