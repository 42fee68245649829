import { messageOf } from "../../core/contract/app-error.ts";

/** By the number that Microsoft's sign-in gives its refusals. */
const ADVICE: Readonly<Record<string, string>> = {
  "7000215":
    "the client secret is wrong: appPassword takes the secret's value, which is shown only once, not its ID. Make a new one and copy its value",
  "7000222": "the client secret has expired: make a new one in the app registration and set appPassword to its value",
  "7000218": "no client secret was sent: set appPassword",
  "700016":
    "this tenant has no such app: compare appId with the Application (client) ID, and tenantId with the Directory (tenant) ID, of the app registration",
  "90002": "there is no such tenant: set tenantId to the Directory (tenant) ID of the app registration",
  "900023": "tenantId is not a tenant's id: set it to the Directory (tenant) ID of the app registration",
  "500011":
    "the tenant does not know the Bot Framework: create the Azure Bot resource, of type Single Tenant, in this tenant",
  "53003": "a Conditional Access policy of the tenant blocks the app: ask its administrator to exempt it",
  "7000112": "the app is disabled in this tenant: ask its administrator to enable it",
};

/** Why the bot got no token, and what to do. */
export const explainTokenFailure = (error: unknown, tokenUrl: string): string => {
  const said = messageOf(error);
  const code = /AADSTS(\d+)/.exec(said)?.[1];
  if (code !== undefined) {
    const advice = ADVICE[code] ?? "look the number up in Microsoft's list of sign-in errors";
    return `Microsoft's sign-in refuses the bot (AADSTS${code}): ${advice}`;
  }
  return `no token from ${tokenUrl}: ${networkReason(error)}. Check that this machine may call it, and tokenUrl if it is set`;
};

const networkReason = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error && cause.name === "TimeoutError") return "it did not answer in time";
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : undefined;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its name cannot be resolved";
  if (code === "ECONNREFUSED") return "it refuses the connection";
  if (cause instanceof SyntaxError) return "its answer is not JSON, so something else answers there";
  if (isForeignAnswer(cause)) return "its answer is not Microsoft's, so something else answers there";
  return messageOf(cause);
};

/** RFC 6749 defines `error` as a string; MSAL copies whatever JSON it gets there into `errorCode`. */
const isForeignAnswer = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "errorCode" in cause && typeof cause.errorCode !== "string";
