/** The admin API rejected a request, or did not answer. The message is for the operator. */
export class Refused extends Error {
  /** The HTTP status; 0: no answer. */
  readonly status: number;
  /** Consequences that the operator must confirm. */
  readonly expect: readonly string[] | undefined;

  constructor(status: number, message: string, expect?: readonly string[]) {
    super(message);
    this.status = status;
    this.expect = expect;
  }
}

/** The text for an error, and advice for the operator. */
export const explainError = (error: unknown): { readonly what: string; readonly advice: string } => {
  const status = error instanceof Refused ? error.status : undefined;
  const what = error instanceof Error ? error.message : String(error);
  return {
    what: sentence(what),
    advice: ADVICE[status ?? -1] ?? "Try again. If the error persists, see the gateway's log.",
  };
};

const ADVICE: Readonly<Record<number, string>> = {
  0: "Check that the gateway is running and that this address is correct, then try again.",
  400: "Correct your input and try again.",
  403: "Sign in with a token whose role allows this, or ask a platform admin.",
  404: "It may have expired, or it belongs to another tenant. Go back to the list.",
  409: "It has changed in the meantime. Reload the list.",
  503: "The backbone is unavailable. Try again in a moment.",
};

/** Adds a capital letter and a full stop. */
export const sentence = (text: string): string => {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
};
