import { NatsError } from "nats";
import { AppError, BackboneUnavailable, messageOf } from "../../../contract/app-error.ts";

const INTERRUPTIONS = new Set([
  "TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_DRAINING",
  "DISCONNECT",
  "CANCELLED",
  "503",
]);
const REFUSALS = new Set([
  "AUTHORIZATION_VIOLATION",
  "AUTHENTICATION_EXPIRED",
  "ACCOUNT_EXPIRED",
  "BAD_AUTHENTICATION",
  "BAD_CREDS",
]);
/** "wrong last sequence", with and without the sequence in the description: a cluster sends either. */
const WRONG_LAST_SEQUENCE = new Set([10_071, 10_164]);
/** "JetStream system temporarily unavailable": a cluster elects a leader or has no quorum. Nothing was executed. */
const TEMPORARILY_UNAVAILABLE = 10_008;
/** "duplicate message id is in process": an earlier attempt is not stored yet; a later retry gets its sequence number. */
const DUPLICATE_IN_PROCESS = 10_158;
const NOT_FOUND = new Set([10_014, 10_037, 10_059]);
const NO_JETSTREAM = new Set([10_039, 10_076]);
/** "replicas > 1 not supported in non-clustered mode" */
const NOT_CLUSTERED = 10_074;
/** "no suitable peers for placement", or "insufficient resources" from servers before 2.9. */
const NO_PLACEMENT = new Set([10_005, 10_023]);

const apiCode = (error: unknown): number | undefined =>
  error instanceof NatsError ? error.api_error?.err_code : undefined;

/** The server may have executed the request; only a retry can tell. */
export const isInterruption = (error: unknown): boolean =>
  isWithoutLeader(error) ||
  (error instanceof NatsError && error.api_error === undefined && INTERRUPTIONS.has(error.code));

/** The server is reachable but not ready: retry after a pause. */
export const isBusy = (error: unknown): boolean =>
  isNoResponder(error) || [TEMPORARILY_UNAVAILABLE, DUPLICATE_IN_PROCESS].includes(apiCode(error) ?? 0);

/** A cluster elects a leader, or has no quorum. */
export const isWithoutLeader = (error: unknown): boolean => apiCode(error) === TEMPORARILY_UNAVAILABLE;

export const isNoResponder = (error: unknown): boolean =>
  error instanceof NatsError && error.api_error === undefined && error.code === "503";

/** A single server refused a stream with several replicas. */
export const isNotClustered = (error: unknown): boolean => apiCode(error) === NOT_CLUSTERED;

/** The cluster has too few running nodes for the replicas of a stream. */
export const isWithoutPlacement = (error: unknown): boolean => NO_PLACEMENT.has(apiCode(error) ?? 0);

/** The user lacks the permission. */
export const isDenied = (error: unknown): boolean =>
  error instanceof NatsError && error.code === "PERMISSIONS_VIOLATION";

/** The server failed, not the request: for example, a cluster without a quorum. */
export const isServerFault = (error: unknown): boolean =>
  isInterruption(error) || (error instanceof NatsError && (error.api_error?.code ?? 0) >= 500);

export const isRefusal = (error: unknown): boolean => error instanceof NatsError && REFUSALS.has(error.code);

export const isLostRace = (error: unknown): boolean => WRONG_LAST_SEQUENCE.has(apiCode(error) ?? 0);

/** The stream, the consumer or the message does not exist. */
export const isNotFound = (error: unknown): boolean =>
  NOT_FOUND.has(apiCode(error) ?? 0) || (error instanceof NatsError && error.code === "404");

export const isWithoutJetStream = (error: unknown): boolean =>
  isNoResponder(error) || NO_JETSTREAM.has(apiCode(error) ?? 0);

/** The server's description of the error, if it answered. */
export const reasonOf = (error: unknown): string =>
  (error instanceof NatsError && error.api_error?.description) || messageOf(error);

export const PERHAPS_NO_QUORUM = "a cluster may have lost its quorum";

/** Translates errors of the client library; none of them leaves `core/backbone/nats/`. */
export const natsFault = (error: unknown, doing: string): AppError => {
  if (error instanceof AppError) return error;
  if (error instanceof NatsError && error.code === "MAX_PAYLOAD_EXCEEDED") {
    return new AppError("too-large", `${doing}: larger than the server's max_payload; set it to 1MB or more`, {
      cause: error,
    });
  }
  if (isDenied(error)) {
    return new AppError("bad-configuration", `${doing}: NATS denies it (${messageOf(error)}); grant the permission`, {
      cause: error,
    });
  }
  const answer = reasonOf(error);
  return isServerFault(error)
    ? new BackboneUnavailable(`${doing}: JetStream is unavailable (${answer}); ${PERHAPS_NO_QUORUM}`, { cause: error })
    : new AppError("unavailable", `${doing}: NATS answered "${answer}"`, { cause: error });
};
