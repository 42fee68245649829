import { AppError } from "../../../core/contract/app-error.ts";
import { english } from "../../../core/contract/texts/texts.ts";
import { errorText } from "../../../core/contract/texts/told-error.ts";
import type { Webhook, WebhookHead, WebhookResponse } from "../../contract/abilities.ts";
import type { VisitorAuth } from "./visitor-auth.ts";
import { type Identity, isAnonymous } from "./visitor-token.ts";

export interface VisitorRequestDeps {
  mayOpen(origin: string): boolean;
  /** Undefined while the channel is not running. */
  auth(): VisitorAuth | undefined;
}

/** The visitor whose token a request has. */
export interface Caller {
  readonly visitor: string;
  readonly isAnonymous: boolean;
  readonly identity: Identity;
}

/** HTTP requests of visitors, with the same tokens and origins as the socket. */
export class VisitorRequests {
  readonly #deps: VisitorRequestDeps;

  constructor(deps: VisitorRequestDeps) {
    this.#deps = deps;
  }

  /** The caller, or the refusal of a request without a valid token. */
  callerOf(head: WebhookHead): Caller | WebhookResponse {
    const { origin, authorization = "" } = head.headers;
    if (origin !== undefined && !this.#deps.mayOpen(origin)) {
      return { ...refusal(head, 403, "forbidden", FOREIGN_ORIGIN), headers: JSON_TYPE };
    }
    const auth = this.#deps.auth();
    if (auth === undefined)
      return refusal(head, 503, "unavailable", "the channel is not ready; retry in a few seconds");
    const token = /^Bearer ([^\s]+)$/i.exec(authorization)?.[1];
    if (token === undefined) {
      return refusal(head, 401, "token-missing", "send the visitor's token: Authorization: Bearer <token>");
    }
    const who = auth.identify(token);
    if ("problem" in who) return refusal(head, 401, who.problem, auth.explain(who.problem));
    return { visitor: who.visitor, isAnonymous: isAnonymous(who), identity: who };
  }

  /** Runs the work of a request. A refusal needs the CORS headers too, or the page could not read it. */
  async respond(head: WebhookHead, work: (caller: Caller) => Promise<WebhookResponse>): Promise<WebhookResponse> {
    const caller = this.callerOf(head);
    if (!("visitor" in caller)) return caller;
    try {
      const { status, headers, body } = await work(caller);
      return { status, headers: { ...corsHeaders(head), ...headers }, ...(body !== undefined && { body }) };
    } catch (error) {
      return refusalFor(head, error);
    }
  }

  preflight(path: string): Webhook {
    return {
      method: "OPTIONS",
      path,
      maxBodyBytes: 0,
      handle: async (request) => {
        const { origin } = request.headers;
        if (origin === undefined || !this.#deps.mayOpen(origin))
          return refusal(request, 403, "forbidden", FOREIGN_ORIGIN);
        return { status: 204, headers: { ...corsHeaders(request), ...PREFLIGHT } };
      },
    };
  }
}

/** Refuses with the text of an AppError whose code has a status; another error is a fault. */
export const refusalFor = (head: WebhookHead, error: unknown): WebhookResponse => {
  if (!(error instanceof AppError) || !(error.code in statuses)) throw error;
  return refusal(head, statuses[error.code] ?? 500, error.code, errorText(error, english));
};

/** The caller has checked the origin. */
const corsHeaders = ({ headers: { origin } }: WebhookHead): Record<string, string> => ({
  vary: "origin",
  ...(origin !== undefined && {
    "access-control-allow-origin": origin,
    "cross-origin-resource-policy": "cross-origin",
  }),
});

export const refusal = (head: WebhookHead, status: number, code: string, message: string): WebhookResponse => ({
  status,
  headers: { ...corsHeaders(head), ...JSON_TYPE },
  body: JSON.stringify({ error: { code, message } }),
});

export const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const PREFLIGHT = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "authorization, content-type",
  "access-control-max-age": "600",
};
const FOREIGN_ORIGIN = "this origin is not allowed: add it to the channel's allowedOrigins";
const statuses: Readonly<Record<string, number>> = {
  "bad-input": 400,
  forbidden: 403,
  "not-found": 404,
  "too-large": 413,
  "rate-limited": 429,
  unavailable: 503,
};
