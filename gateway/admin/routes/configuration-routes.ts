import type { FastifyInstance } from "fastify";
import { AppError } from "../../../core/contract/app-error.ts";
import { type AdminDeps, adminRoute, mustBePlatformAdmin, noteDetail } from "../admin-request.ts";

/** Reloads the configuration of the process that answers, as SIGHUP does. */
export const configurationRoutes = (scope: FastifyInstance, { reload }: AdminDeps): void => {
  adminRoute(scope, "POST configuration/reload", async (request) => {
    mustBePlatformAdmin(request);
    if (reload === undefined) throw new AppError("not-found", "this process cannot reload its configuration");
    try {
      const reloaded = await reload();
      noteDetail(request, { ...reloaded });
      return reloaded;
    } catch (error) {
      // The operator sent no configuration, but it is what they can correct.
      if (error instanceof AppError && error.code === "bad-configuration")
        throw new AppError("bad-input", error.message, { cause: error });
      throw error;
    }
  });
};
