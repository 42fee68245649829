import type { FastifyInstance } from "fastify";
import { delegatedCalls } from "../../../core/a2a/index.ts";
import { withHeldCalls } from "../../../core/approvals/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { hasEnded } from "../../../core/contract/messages/subtask.ts";
import { cancelSubtask, delegationDeps, readSubtask, subtasksOfAgent } from "../../../core/subtasks/index.ts";
import { requests } from "../../admin-api/index.ts";
import type { AdminDeps } from "../admin-request.ts";
import { adminRoute, checked } from "../admin-request.ts";
import { managedAgent, managedAgents } from "../managed-resources.ts";
import { pageOf, partsOfRef } from "../page.ts";
import { shownSubtask } from "../shown-work.ts";

/** Subtasks: list and cancel. */
export const subtaskRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, store } = deps;
  const work = {
    ...deps,
    ...delegationDeps(
      { ...deps, withoutModelText: config.moderation?.answers === true },
      withHeldCalls(delegatedCalls(store)),
    ),
    // No subtask runs in this process.
    workspaces: new Map(),
  };
  scope.addHook("onClose", async () => work.activity.stop());

  adminRoute(scope, "GET subtasks", async (request) => {
    const { agent, status, ...page } = checked(requests["GET subtasks"], request.query);
    const sources = managedAgents(config, request, agent).map((each) => ({
      name: each.agent,
      list: () => store.list(subtasksOfAgent(each)),
    }));
    return pageOf(sources, page, (subtask) =>
      status === "open" && hasEnded(subtask) ? undefined : shownSubtask(subtask),
    );
  });

  adminRoute(scope, "POST subtasks/:ref/cancel", async (request) => {
    const [name = "", id = ""] = partsOfRef(request.params.ref, 2);
    const address = { ...managedAgent(config, request, name), id };
    const subtask = await readSubtask(store, address);
    if (subtask === undefined) throw new AppError("not-found", "this subtask no longer exists: reload the list");
    const ended = hasEnded(subtask) ? undefined : await cancelSubtask(work, address, "cancelled by an operator");
    if (ended?.status !== "cancelled") {
      throw new AppError("conflict", `this subtask has already ended: ${(ended ?? subtask).status}`);
    }
    return shownSubtask(ended);
  });
};
