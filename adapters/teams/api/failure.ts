import { z } from "zod";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { DeliveryFailure } from "../../contract/delivery-failed.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { wasNeverSent } from "./connect-timeout-agent.ts";
import type { ReachState } from "./reach-state.ts";
import { reachFailure, reachStateOf } from "./reach-state.ts";

/** The fields of the SDK's errors that hold Teams' response. */
const Refusal = z.looseObject({
  statusCode: z.number(),
  response: z
    .looseObject({ headers: z.custom<{ get(name: string): string | undefined }>() })
    .optional()
    .catch(undefined),
  details: z
    .looseObject({ error: z.looseObject({ code: z.string().optional(), message: z.string().optional() }) })
    .optional()
    .catch(undefined),
});

/** Teams' error codes, except those about the reachability of a conversation (`reach-state.ts`). */
const BY_CODE: Readonly<Record<string, readonly [DeliveryFailure, string]>> = {
  ConversationNotFound: ["target-gone", "gone: the conversation no longer exists in Teams"],
  ActivityNotFoundInConversation: ["target-gone", "gone: the message no longer exists in Teams"],
  MessageSizeTooBig: ["rejected", "the message is too large for Teams"],
};

const DEFAULT_WAIT_MS = 5_000;

/** Translates any error of a call to Teams into a DeliveryFailed. */
export const explainFailure = (error: unknown): DeliveryFailed => {
  if (error instanceof DeliveryFailed) return error;
  // An AppError is ours: there was no token, so nothing was sent.
  if (error instanceof AppError) return new DeliveryFailed("unavailable", error.message, { cause: error });
  const refusal = Refusal.safeParse(error);
  if (refusal.success) return explainRefusal(refusal.data, error);
  return wasNeverSent(error)
    ? new DeliveryFailed("unavailable", "Teams cannot be reached", { cause: error })
    : new DeliveryFailed("unknown", `Teams' answer was lost: ${messageOf(error)}`, { cause: error });
};

/** The reach state in Teams' response, if that is the reason of the refusal. */
export const reachStateIn = (error: unknown): ReachState | undefined =>
  reachStateOf(Refusal.safeParse(error).data?.details?.error.code);

export const isTokenRefused = (error: unknown): boolean => Refusal.safeParse(error).data?.statusCode === 401;

const explainRefusal = ({ statusCode, response, details }: z.infer<typeof Refusal>, cause: unknown): DeliveryFailed => {
  const state = reachStateOf(details?.error.code);
  if (state !== undefined) return reachFailure(state, cause);
  const known = BY_CODE[details?.error.code ?? ""];
  if (known) return new DeliveryFailed(known[0], known[1], { cause });
  if (statusCode === 429) {
    const retryAfterMs = waitMs(response?.headers.get("retry-after"));
    return new DeliveryFailed("rate-limited", "Teams' rate limit is reached", { retryAfterMs, cause });
  }
  const [reason, text] = byStatus(statusCode);
  return new DeliveryFailed(reason, `${text} (${statusCode}${details?.error.code ? ` ${details.error.code}` : ""})`, {
    cause,
  });
};

const byStatus = (status: number): readonly [DeliveryFailure, string] => {
  if (status === 401) return ["unavailable", "Teams does not accept the bot's token: run mooring check --live"];
  if (status === 403) return ["forbidden", "the app may not post in this conversation"];
  if (status === 404) return ["target-gone", "gone: the conversation or message no longer exists in Teams"];
  if (status === 413) return ["rejected", "the message is too large for Teams"];
  // 412: another call for the conversation was in progress, and Teams did not begin this one.
  if (status === 412 || status === 503) return ["unavailable", "Teams is busy"];
  // Includes 502 and 504, for which Microsoft advises a retry: the server behind the gateway may have posted it.
  if (status >= 500) return ["unknown", "Teams failed, and may have posted it"];
  return ["rejected", "Teams refuses the message"];
};

const waitMs = (header: string | undefined): number => {
  const seconds = Number(header || Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : DEFAULT_WAIT_MS;
};
