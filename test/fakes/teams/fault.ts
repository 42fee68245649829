/** A fault of the local Teams: an error response, or none. */
export type TeamsFault =
  | { readonly status: number; readonly code?: string; readonly headers?: Readonly<Record<string, string>> }
  /** Executes the call, then cuts the connection. */
  | "cut-after-accept"
  /** Executes the call, then responds with 500. */
  | "fail-after-accept"
  /** No response until `recover`. */
  | "hang";

/** The documented errors of Teams. */
export const teamsFaults = {
  rateLimited: { status: 429, code: "Throttled", headers: { "retry-after": "2" } },
  unavailable: { status: 503, code: "ServiceUnavailable" },
  failed: { status: 500, code: "InternalServerError" },
  blocked: { status: 403, code: "ConversationBlockedByUser" },
  writesBlocked: { status: 403, code: "MessageWritesBlocked" },
  disabled: { status: 403, code: "BotDisabledByAdmin" },
  removed: { status: 403, code: "BotNotInConversationRoster" },
  gone: { status: 404, code: "ConversationNotFound" },
  malformed: { status: 400, code: "BadSyntax" },
  busy: { status: 412, code: "PreconditionFailed" },
} as const satisfies Record<string, TeamsFault>;
