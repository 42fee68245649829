import type { FastifyInstance } from "fastify";
import { type Report, reportKey, reportsOf } from "../../../core/commands/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import { type BlockedAccount, blockAccount, blocksOf, unblockAccount } from "../../../core/rights/index.ts";
import { type AnswerTo, requests } from "../../admin-api/index.ts";
import type { AdminDeps, AdminRequest } from "../admin-request.ts";
import { adminRoute, checked, noteDetail } from "../admin-request.ts";
import { managedChannel, managedTenant, managedTenants } from "../managed-resources.ts";
import { pageOf, partsOfRef, refOf } from "../page.ts";

/** Blocked accounts and reported messages. */
export const abuseRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, store, clock, logger } = deps;
  const tenantsFor = (request: AdminRequest, requested: string | undefined): string[] =>
    requested === undefined ? managedTenants(config, request) : [managedTenant(config, request, requested)];

  adminRoute(scope, "GET blocks", async (request) => {
    const { tenant, ...page } = checked(requests["GET blocks"], request.query);
    const sources = tenantsFor(request, tenant).map((name) => ({ name, list: () => store.list(blocksOf(name)) }));
    return pageOf(sources, page, shownBlock);
  });

  adminRoute(scope, "POST blocks", async (request) => {
    const { reason, ...account } = checked(requests["POST blocks"], request.body);
    const { tenant } = managedChannel(config, request, account.channel);
    noteDetail(request, { ...account });
    const at = isoTime(clock.now());
    const block = await blockAccount(deps, { tenant, ...account, at, ...(reason !== undefined && { reason }) });
    logger.info({ tenant, ...account }, "account blocked");
    return shownBlock(block);
  });

  adminRoute(scope, "POST blocks/:ref/unblock", async (request) => {
    const [channel = "", accountId = ""] = partsOfRef(request.params.ref, 2);
    const { tenant } = managedChannel(config, request, channel);
    noteDetail(request, { channel, accountId });
    if (!(await unblockAccount(deps, { tenant, channel, accountId }))) {
      throw new AppError("conflict", "this account is not blocked: reload the list");
    }
    logger.info({ tenant, channel, accountId }, "account unblocked");
    return { done: true };
  });

  adminRoute(scope, "GET reports", async (request) => {
    const { tenant, ...page } = checked(requests["GET reports"], request.query);
    const sources = tenantsFor(request, tenant).map((name) => ({ name, list: () => store.list(reportsOf(name)) }));
    return pageOf(sources, page, shownReport);
  });

  adminRoute(scope, "POST reports/:ref/dismiss", async (request) => {
    const [name = "", id = ""] = partsOfRef(request.params.ref, 2);
    const key = reportKey(managedTenant(config, request, name), id);
    const found = await store.get(key);
    if (found === undefined) throw new AppError("conflict", "this report was already dismissed: reload the list");
    await store.delete(key, { ifRevision: found.revision });
    return { done: true };
  });
};

const shownBlock = ({
  tenant,
  channel,
  accountId,
  reason,
  at,
  refusedAt,
}: BlockedAccount): AnswerTo<"POST blocks"> => ({
  ref: refOf(channel, accountId),
  tenant,
  channel,
  accountId,
  ...(reason !== undefined && { reason }),
  at,
  ...(refusedAt !== undefined && { refusedAt }),
});

type ShownReport = AnswerTo<"GET reports">["items"][number];

const shownReport = ({ id, tenant, agent, reporter, replyId, at, reason, text }: Report): ShownReport => ({
  ref: refOf(tenant, id),
  tenant,
  agent,
  reporter: { channel: reporter.channel, accountId: reporter.accountId, name: reporter.name },
  replyId,
  at,
  ...(reason !== undefined && { reason }),
  ...(text !== undefined && { text }),
});
