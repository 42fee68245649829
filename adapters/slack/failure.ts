import { webApi } from "@slack/bolt";
import { messageOf } from "../../core/contract/app-error.ts";
import type { DeliveryFailure } from "../contract/delivery-failed.ts";
import { DeliveryFailed, rootCause, wasNeverSent } from "../contract/delivery-failed.ts";

/** Slack's error names. An unlisted name means that Slack rejected the message itself. */
const REASONS: Readonly<Record<string, DeliveryFailure>> = {
  channel_not_found: "target-gone",
  is_archived: "target-gone",
  message_not_found: "target-gone",
  thread_not_found: "target-gone",
  user_not_found: "target-gone",
  user_disabled: "target-gone",
  not_in_channel: "forbidden",
  missing_scope: "forbidden",
  no_permission: "forbidden",
  access_denied: "forbidden",
  restricted_action: "forbidden",
  restricted_action_read_only_channel: "forbidden",
  restricted_action_thread_only_channel: "forbidden",
  restricted_action_non_threadable_channel: "forbidden",
  restricted_action_thread_locked: "forbidden",
  cant_update_message: "forbidden",
  edit_window_closed: "forbidden",
  cannot_dm_bot: "forbidden",
  ekm_access_denied: "forbidden",
  team_access_not_granted: "forbidden",
  ratelimited: "rate-limited",
  rate_limited: "rate-limited",
  message_limit_exceeded: "rate-limited",
  invalid_auth: "unavailable",
  not_authed: "unavailable",
  account_inactive: "unavailable",
  token_revoked: "unavailable",
  token_expired: "unavailable",
  service_unavailable: "unavailable",
  request_timeout: "unavailable",
  team_added_to_org: "unavailable",
  // Slack's documentation: "Some aspect of the operation may have succeeded".
  fatal_error: "unknown",
  internal_error: "unknown",
};

const ADVICE: Readonly<Record<string, string>> = {
  not_in_channel: "invite the app with /invite",
  channel_not_found: "the channel no longer exists, or the app is not in it",
  invalid_auth: "check botToken",
  account_inactive: "the app was uninstalled: install it again and update botToken",
  token_revoked: "install the app again and update botToken",
  token_expired: "turn token rotation off for the app and update botToken",
};

/** Translates a failed call into a DeliveryFailed, whose reason decides about retries. */
export const deliveryFailure = (error: unknown): DeliveryFailed => {
  if (error instanceof DeliveryFailed) return error;
  const { reason, retryAfterMs } = reasonOf(error);
  return new DeliveryFailed(reason, explain(error), {
    cause: error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
};

/** Slack's name for the error, if Slack answered. */
export const slackErrorOf = (error: unknown): string | undefined =>
  error instanceof webApi.WebAPIPlatformError ? error.data.error : undefined;

/** Explains the error to an operator. */
export const explain = (error: unknown): string => {
  const name = slackErrorOf(error);
  if (name === undefined) return `Slack could not be reached: ${messageOf(rootCause(error)).slice(0, 200)}`;
  const { needed, response_metadata } = (error as webApi.WebAPIPlatformError).data as Details;
  if (name === "missing_scope") return `the app lacks the scope ${needed ?? "it needs"}: add it and reinstall the app`;
  const details = (response_metadata?.messages ?? []).join("; ").slice(0, 300);
  return ["Slack says", name.slice(0, 100), ADVICE[name] && `(${ADVICE[name]})`, details].filter(Boolean).join(" ");
};

interface Details {
  readonly needed?: string;
  readonly response_metadata?: { readonly messages?: readonly string[] };
}

const reasonOf = (error: unknown): { reason: DeliveryFailure; retryAfterMs?: number } => {
  if (error instanceof webApi.WebAPIRateLimitedError) {
    return { reason: "rate-limited", retryAfterMs: error.retryAfter * 1_000 };
  }
  if (error instanceof webApi.WebAPIPlatformError) {
    const name = error.data.error;
    // If a proxy answers with a page instead of JSON, the SDK reports the page as the error name.
    return { reason: /^[a-z_]+$/.test(name) ? (REASONS[name] ?? "rejected") : "unknown" };
  }
  if (error instanceof webApi.WebAPIHTTPError) return { reason: reasonOfStatus(error.statusCode) };
  if (error instanceof webApi.WebAPIRequestError) {
    return { reason: wasNeverSent(error) ? "unavailable" : "unknown" };
  }
  // The SDK throws a plain error for a 429 without Retry-After.
  return { reason: /Retry header/.test(messageOf(error)) ? "rate-limited" : "unknown" };
};

const reasonOfStatus = (status: number): DeliveryFailure => {
  if (status === 503 || status === 401 || status === 403 || status === 407) return "unavailable";
  return status >= 400 && status < 500 && status !== 408 ? "rejected" : "unknown";
};
