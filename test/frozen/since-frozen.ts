/**
 * Kinds of records and messages that the newest fixture cannot have, because a later version added them. The next
 * release is frozen with them (docs/upgrading.md), and this list is empty again.
 */
export const addedSince = {
  collections: [
    "agent-sessions",
    "agent-tasks",
    "approval-grants",
    "approvals",
    "approvals-in",
    "blocked-accounts",
    "budget-open",
    "budget-turns",
    "budget-use",
    "budgets",
    "feedback",
    "file-chunks",
    "file-links",
    "glass-breaks",
    "hour-counts",
    "last-seen",
    "memories",
    "owner-links",
    "owner-secret",
    "received-chunks",
    "received-files",
    "received-texts",
    "replaceable-posts",
    "reports",
    "room-known-as",
    "room-moved-to",
    "session-files",
    "takeovers",
    "teams-consents",
    "telegram-albums",
    "telegram-buttons",
    "telegram-unreachable",
    "tool-grants",
    "tool-lists",
    "tool-sign-ins",
    "tool-tokens",
    "web-conversations",
    "web-reply-files",
    "web-stored-bytes",
    "work-marks",
  ] as readonly string[],
  messages: ["agent.task", "approval.decided", "approval.due", "file.fetch"] as readonly string[],
};

/** Kinds in a fixture that the code no longer has, each with the migration that took its records elsewhere. */
export const migrated: Readonly<Record<string, string>> = {};
