import type { FastifyInstance } from "fastify";
import { AppError } from "../../../core/contract/app-error.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { textsFor } from "../../../core/contract/texts/texts.ts";
import { memorySize } from "../../../core/memory/lasting/index.ts";
import {
  accountOf,
  leavePerson,
  type PersonAccount,
  type PersonRecord,
  peopleOf,
  readPerson,
  sameAccount,
  showAccounts,
} from "../../../core/people/index.ts";
import { type Person, requests } from "../../admin-api/index.ts";
import type { AdminDeps } from "../admin-request.ts";
import { adminRoute, checked, noteDetail } from "../admin-request.ts";
import { managedTenant, managedTenants } from "../managed-resources.ts";
import { pageOf, partsOfRef, refOf } from "../page.ts";
import { publishNotice } from "../publish-notice.ts";

/** People and their linked accounts: list and unlink. */
export const peopleRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, store } = deps;

  adminRoute(scope, "GET people", async (request) => {
    const { tenant: requested, ...page } = checked(requests["GET people"], request.query);
    const tenants =
      requested === undefined ? managedTenants(config, request) : [managedTenant(config, request, requested)];
    const sources = tenants.map((tenant) => ({
      name: tenant,
      list: () => store.list(peopleOf(tenant)),
    }));
    return pageOf(sources, page, async ({ tenant, id }) => {
      const found = await readPerson(store, tenant, id);
      // A person without accounts was merged into another one.
      return found && found.person.accounts.length > 0 ? shownPerson(store, found.person) : undefined;
    });
  });

  adminRoute(scope, "POST people/:ref/unlink", async (request) => {
    const [tenant = "", id = ""] = partsOfRef(request.params.ref, 2);
    const given = checked(requests["POST people/:ref/unlink"], request.body);
    const found = await readPerson(store, managedTenant(config, request, tenant), id);
    const account = found && accountOf(found.person, given);
    if (found === undefined || account === undefined) {
      throw new AppError("not-found", "this person has no such account: reload the list");
    }
    if (account.declared) throw new AppError("conflict", "the configuration declares this account: change it there");
    if (found.person.accounts.length < 2)
      throw new AppError("conflict", "the only account of a person cannot be unlinked");
    noteDetail(request, { ...given });
    // Before unlinking, because afterwards the record no longer lists all accounts to notify.
    await notifyAll(deps, found.person, account, request.id);
    await leavePerson(store, { tenant, ...given });
    const left = await readPerson(store, tenant, id);
    return shownPerson(store, left?.person ?? found.person);
  });
};

/** Notifies every account of the person before one is unlinked (I1). */
const notifyAll = async (
  deps: AdminDeps,
  { tenant, id: personId, accounts, surfaces, membership, locale }: PersonRecord,
  leaving: PersonAccount,
  wish: string,
): Promise<void> => {
  const staying = accounts.filter((account) => account !== leaving);
  for (const account of accounts) {
    const surface = surfaces.findLast((each) => sameAccount(each, account));
    if (surface === undefined) continue;
    const others = account === leaving ? staying : [leaving];
    const { conversation, accountId, agent } = surface;
    const texts = textsFor(locale ?? account.locale);
    await publishNotice(deps, {
      id: `unlinked/${wish}/${conversationKey(conversation)}`,
      tenant,
      agent,
      markdown: texts.linking.operatorUnlinked(showAccounts(others, texts)),
      audience: { conversation, personId, accountId, membership },
      traceId: wish,
    });
  }
};

const shownPerson = async (
  store: Store,
  { tenant, id, name, accounts, surfaces, quiet }: PersonRecord,
): Promise<Person> => ({
  ref: refOf(tenant, id),
  id,
  tenant,
  ...(name !== undefined && { name }),
  accounts: accounts.map(({ channel, accountId, name: accountName, since, declared = false }) => ({
    channel,
    accountId,
    name: accountName,
    since,
    declared,
  })),
  memory: await memorySize(store, tenant, accounts),
  surfaces: surfaces.map(({ channel, accountId, since }) => ({ channel, accountId, since })),
  ...(quiet !== undefined && { quiet }),
});
