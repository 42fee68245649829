import { isDeepStrictEqual } from "node:util";
import type { FastifyInstance } from "fastify";
import { type ConfigFile, valueAt } from "../../../config/file/index.ts";
import { ConfigInvalid, spellPath } from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { type AnswerTo, requests } from "../../admin-api/index.ts";
import { planReload } from "../../reload/index.ts";
import { type AdminDeps, adminRoute, checked, mustBePlatformAdmin, noteDetail } from "../admin-request.ts";
import { auditDetail } from "../audit.ts";
import { shownSettings } from "../shown-settings.ts";

/** The settings in force in the process that answers, changes of the file, and reloads, as by SIGHUP. */
export const configurationRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, configFile, instance, reload } = deps;

  const reloadNow = async (): Promise<AnswerTo<"POST configuration/reload">> => {
    if (reload === undefined) throw new AppError("not-found", "this process cannot reload its configuration");
    return asBadInput(reload);
  };

  adminRoute(scope, "GET configuration", async (request) => {
    mustBePlatformAdmin(request);
    const file = fileOf(configFile);
    const mayChange = reload !== undefined && !file.isShipped;
    try {
      const now = await file.read();
      const { applied, needsRestart } = planReload(config, now.config);
      return {
        file: file.name,
        instance,
        digest: now.digest,
        settings: shownSettings(config, now, mayChange),
        pending: { applied: applied.map(spellPath), needsRestart: needsRestart.map(spellPath) },
        problems: [],
      };
    } catch (error) {
      if (!(error instanceof ConfigInvalid)) throw error;
      const settings = shownSettings(config, undefined, false);
      return { file: file.name, instance, settings, pending: NONE, problems: error.problems };
    }
  });

  adminRoute(scope, "POST configuration/settings", async (request) => {
    mustBePlatformAdmin(request);
    const { keys, value, digest } = checked(requests["POST configuration/settings"], request.body);
    const file = fileOf(configFile);
    const path = spellPath(keys);
    const before = valueAt(config, keys);
    if (file.isShipped)
      throw new AppError(
        "conflict",
        "this process runs with the shipped configuration: create one with `mooring init`",
      );
    const shown = shownSettings(config, await asBadInput(() => file.read()), true);
    if (!shown.some((each) => each.canChange && isDeepStrictEqual(each.keys, keys)))
      throw new AppError("bad-input", `${path} cannot be changed here: edit the file, then reload`);
    await auditDetail(deps, request, { setting: path, from: before, to: value });
    await asBadInput(() => file.change(keys, value, digest));
    const reloaded = await reloadNow();
    noteDetail(request, { ...reloaded });
    return reloaded;
  });

  adminRoute(scope, "POST configuration/reload", async (request) => {
    mustBePlatformAdmin(request);
    const reloaded = await reloadNow();
    noteDetail(request, { ...reloaded });
    return reloaded;
  });
};

const NONE = { applied: [], needsRestart: [] };

const fileOf = (file: ConfigFile | undefined): ConfigFile => {
  if (file === undefined) throw new AppError("not-found", "this process has no configuration file");
  return file;
};

/** The operator sent no configuration, but it is what they can correct. */
const asBadInput = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof AppError && error.code === "bad-configuration")
      throw new AppError("bad-input", error.message, { cause: error });
    throw error;
  }
};
