import type { Config } from "../config/config.ts";
import type { DeclaredPerson } from "../core/people/index.ts";
import { tenantOf } from "./tenant-of.ts";

/** The people of the configuration. A person is one within a tenant: accounts in two of them make two people. */
export const declaredPeople = (config: Config): DeclaredPerson[] =>
  config.people.flatMap(({ name, accounts }) => {
    const placed = Object.entries(accounts).map(([channel, accountId]) => ({
      tenant: tenantOf(config, config.channels[channel]?.agent ?? ""),
      channel,
      accountId,
    }));
    return [...new Set(placed.map(({ tenant }) => tenant))].map((tenant) => ({
      tenant,
      name,
      accounts: placed.filter((account) => account.tenant === tenant),
    }));
  });
