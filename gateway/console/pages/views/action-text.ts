import type { AuditEntry } from "../api/admin-api.ts";

const WORDS: Readonly<Record<string, string>> = {
  "POST /admin/api/channels/:channel/pause": "Pause a channel",
  "POST /admin/api/channels/:channel/resume": "Resume a channel",
  "POST /admin/api/channels/:channel/test": "Send a test message",
  "POST /admin/api/subtasks/:ref/cancel": "Cancel a subtask",
  "POST /admin/api/schedules": "Make a schedule",
  "POST /admin/api/schedules/:ref/run": "Run a schedule now",
  "POST /admin/api/schedules/:ref/cancel": "Cancel a schedule",
  "POST /admin/api/schedules/:ref/resume": "Resume a schedule",
  "POST /admin/api/dead-letters/:ref/retry": "Send a dead letter again",
  "POST /admin/api/dead-letters/:ref/dismiss": "Dismiss a dead letter",
  "POST /admin/api/people/:ref/unlink": "Unlink an account",
  "PATCH /admin/api/tenants/:id": "Change a tenant's settings",
};

/** What an operator did, in words; a route that is not known here as it is. */
export const actionText = ({ action }: AuditEntry): string => WORDS[action] ?? action;
