import { Refused } from "./refused.ts";
import { sentence } from "./sentence.ts";

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
