import { sentence } from "../parts/sentence.ts";

/** The admin API did not do it. The message is for the operator, and says what to do. */
export class Refused extends Error {
  /** Of HTTP; 0: nobody answered. */
  readonly status: number;
  /** What whoever confirms should have read. */
  readonly expect: readonly string[] | undefined;

  constructor(status: number, message: string, expect?: readonly string[]) {
    super(message);
    this.status = status;
    this.expect = expect;
  }
}

/** What to show of an error, and what to do about it. */
export const explained = (error: unknown): { readonly what: string; readonly advice: string } => {
  const status = error instanceof Refused ? error.status : undefined;
  const what = error instanceof Error ? error.message : String(error);
  return {
    what: sentence(what),
    advice: ADVICE[status ?? -1] ?? "Try again. If it stays, the gateway's log says more.",
  };
};

const ADVICE: Readonly<Record<number, string>> = {
  0: "Check that the gateway runs and that this address is the right one, then try again.",
  400: "Change what was entered, and try again.",
  403: "Sign in with a token whose role may do this, or ask somebody who has one.",
  404: "It may have ended or expired, or it belongs to another tenant. Go back to the list.",
  409: "Somebody was faster, or it has changed meanwhile. Look at the list again.",
  503: "The backbone is away. This page works again once it is back: try again in a moment.",
};
