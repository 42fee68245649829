/**
 * Kinds of records and messages that the newest fixture cannot have, because a later version added them. The next
 * release is frozen with them (docs/upgrading.md), and this list is empty again.
 */
export const addedSince = {
  collections: [
    "blocked-accounts",
    "budget-open",
    "budget-use",
    "budgets",
    "last-seen",
    "reports",
    "web-stored-bytes",
  ] as readonly string[],
  messages: [] as readonly string[],
};

/** Kinds in a fixture that the code no longer has, each with the migration that took its records elsewhere. */
export const migrated: Readonly<Record<string, string>> = {};
