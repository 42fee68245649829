/**
 * Kinds of records and messages that the newest fixture does not have: added after it was frozen, or not reached by its
 * work (test/frozen/later-work.ts). The next release is frozen with them (docs/upgrading.md), and this list is empty again.
 */
export const addedSince = {
  collections: [
    "agent-sessions",
    "budget-use",
    "file-links",
    "owner-links",
    "owner-secret",
    "telegram-buttons",
    "tool-calls",
    "tool-grants",
    "tool-sign-ins",
    "tool-tokens",
    "work-marks",
  ] as readonly string[],
  messages: ["agent.task"] as readonly string[],
};

/** Kinds in a fixture that the code no longer has, each with the migration that took its records elsewhere. */
export const migrated: Readonly<Record<string, string>> = {};

/** Kinds that the code of a release had and its fixture lacks, because no work of the freezing reached them. */
export const notReached: Readonly<Record<string, readonly string[]>> = {
  "0.2.0": [
    "agent-sessions",
    "budget-use",
    "file-links",
    "owner-links",
    "owner-secret",
    "telegram-buttons",
    "tool-grants",
    "tool-sign-ins",
    "tool-tokens",
    "work-marks",
    "agent.task",
  ],
};
