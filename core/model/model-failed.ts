import { AppError, type ErrorCode } from "../contract/app-error.ts";
import type { Texts } from "../contract/texts/texts.ts";

export type ModelFailure =
  | "rate-limited"
  | "timeout"
  | "unreachable"
  | "credentials"
  | "context-too-long"
  | "overloaded"
  | "bad-answer"
  | "refused"
  | "cancelled";

const TRAITS: Record<ModelFailure, { code: ErrorCode; retryable: boolean }> = {
  "rate-limited": { code: "rate-limited", retryable: true },
  timeout: { code: "unavailable", retryable: true },
  unreachable: { code: "unavailable", retryable: true },
  credentials: { code: "bad-configuration", retryable: false },
  "context-too-long": { code: "too-large", retryable: false },
  overloaded: { code: "unavailable", retryable: true },
  "bad-answer": { code: "unavailable", retryable: true },
  refused: { code: "forbidden", retryable: false },
  cancelled: { code: "stopped", retryable: false },
};

interface ModelFailedOptions {
  readonly retryAfterMs?: number | undefined;
  readonly shown?: ((texts: Texts) => string) | undefined;
  /** False: the model has retried already. */
  readonly retryable?: boolean | undefined;
}

/**
 * The only error of an AgentModel. The message is for operators and holds neither keys nor prompt text;
 * there is no cause, because the SDKs' errors carry both.
 */
export class ModelFailed extends AppError {
  readonly reason: ModelFailure;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** The delay that the provider requests, if any. */
  readonly retryAfterMs?: number;
  /** The text for people, if that of the reason does not fit. */
  readonly shown?: (texts: Texts) => string;

  constructor(reason: ModelFailure, message: string, options?: ModelFailedOptions) {
    super(TRAITS[reason].code, message);
    this.reason = reason;
    this.retryable = options?.retryable ?? TRAITS[reason].retryable;
    if (options?.shown !== undefined) this.shown = options.shown;
    if (options?.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}
