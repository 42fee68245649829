import { Readable } from "node:stream";
import { AppError } from "../../../core/contract/app-error.ts";
import { safeFileName, safeMediaType } from "../../../core/contract/file-ref.ts";
import { refuseIfUnwritable, type WriteAvailability } from "../../../core/contract/ports/backbone.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import type { Webhook, WebhookHead, WebhookResponse } from "../../contract/abilities.ts";
import { downloadHeaders } from "../../contract/files/download-headers.ts";
import type { VisitorAuth } from "../identity/visitor-auth.ts";
import { isAnonymous } from "../identity/visitor-token.ts";
import type { StoredFile } from "./file-record.ts";
import type { ReplyFiles } from "./reply-files.ts";
import type { UploadAdmission } from "./upload-admission.ts";
import type { VisitorFiles } from "./visitor-files.ts";

export interface FileRoutesDeps {
  readonly files: VisitorFiles;
  readonly replyFiles: ReplyFiles;
  readonly writes: WriteAvailability;
  readonly admission: UploadAdmission;
  readonly maxBytes: number;
  mayOpen(origin: string): boolean;
  /** Undefined while the channel is not running. */
  auth(): VisitorAuth | undefined;
}

const PATH = "files";

/** `POST` and `GET /channels/<channel>/files`, with the same tokens and origins as the socket. */
export const fileRoutes = (deps: FileRoutesDeps): readonly Webhook[] => {
  const refuse = async (head: WebhookHead) => {
    const caller = callerOf(deps, head);
    if (!("visitor" in caller)) return caller;
    const bytes = Number(head.headers["content-length"] ?? 0);
    return (
      tooLarge(deps, head) ??
      (await refusalOf(head, async () => {
        refuseIfUnwritable(deps.writes);
        await deps.admission.check({ ...caller, address: head.remoteAddress, bytes }, head.whenClosed);
      }))
    );
  };
  /** A refusal needs the CORS headers too, or the page could not read it. */
  const respond = async (head: WebhookHead, work: (caller: Caller) => Promise<WebhookResponse>) => {
    const caller = callerOf(deps, head);
    if (!("visitor" in caller)) return caller;
    try {
      const { status, headers, body } = await work(caller);
      return { status, headers: { ...corsHeaders(head), ...headers }, ...(body !== undefined && { body }) };
    } catch (error) {
      return refusalFor(head, error);
    }
  };
  return [
    {
      method: "POST",
      path: PATH,
      maxBodyBytes: deps.maxBytes,
      refuse,
      handle: (request) =>
        respond(request, async (caller) => {
          const { body, query, headers } = request;
          if (body.length === 0)
            throw new AppError("bad-input", "the request body must be the file and must not be empty");
          const about = { name: safeFileName(query.name), mediaType: safeMediaType(headers["content-type"]) };
          const upload = { ...caller, address: request.remoteAddress, bytes: body.length };
          const refund = await deps.admission.take(upload);
          const file = await deps.files.save(caller.visitor, { ...about, body }).catch((error: unknown) => {
            refund();
            throw error;
          });
          return { status: 201, headers: JSON_TYPE, body: JSON.stringify(described(file)) };
        }),
    },
    {
      method: "GET",
      path: PATH,
      maxBodyBytes: 0,
      handle: (request) =>
        respond(request, async ({ visitor }) => {
          const { id = "" } = request.query;
          const [file] = await deps.files.find(visitor, [id]);
          const sent = file === undefined && id !== "" ? await deps.replyFiles.open(visitor, id) : undefined;
          if (sent !== undefined) {
            const body = Readable.from(sent.content, { objectMode: false });
            return { status: 200, headers: downloadHeaders(sent.file), body };
          }
          if (file === undefined) throw new AppError("not-found", "you have no such file, or it has expired");
          return { status: 200, headers: downloadHeaders(file), body: await deps.files.open(visitor, file) };
        }),
    },
    {
      method: "OPTIONS",
      path: PATH,
      maxBodyBytes: 0,
      handle: async (request) => {
        const { origin } = request.headers;
        if (origin === undefined || !deps.mayOpen(origin)) return refusal(request, 403, "forbidden", FOREIGN_ORIGIN);
        return { status: 204, headers: { ...corsHeaders(request), ...PREFLIGHT } };
      },
    },
  ];
};

const refusalOf = async (head: WebhookHead, check: () => Promise<void>): Promise<WebhookResponse | undefined> => {
  try {
    await check();
    return undefined;
  } catch (error) {
    return refusalFor(head, error);
  }
};

const refusalFor = (head: WebhookHead, error: unknown): WebhookResponse => {
  if (!(error instanceof AppError) || !(error.code in statuses)) throw error;
  return refusal(head, statuses[error.code] ?? 500, error.code, error.message);
};

interface Caller {
  readonly visitor: string;
  readonly isAnonymous: boolean;
}

const callerOf = (deps: FileRoutesDeps, head: WebhookHead): Caller | WebhookResponse => {
  const { origin, authorization = "" } = head.headers;
  if (origin !== undefined && !deps.mayOpen(origin)) {
    return { ...refusal(head, 403, "forbidden", FOREIGN_ORIGIN), headers: JSON_TYPE };
  }
  const auth = deps.auth();
  if (auth === undefined) return refusal(head, 503, "unavailable", "the channel is not ready; retry in a few seconds");
  const token = /^Bearer ([^\s]+)$/i.exec(authorization)?.[1];
  if (token === undefined) {
    return refusal(head, 401, "token-missing", "send the visitor's token: Authorization: Bearer <token>");
  }
  const who = auth.identify(token);
  if ("problem" in who) return refusal(head, 401, who.problem, auth.explain(who.problem));
  return { visitor: who.visitor, isAnonymous: isAnonymous(who) };
};

/** Refuses before the body is read, if the client sends a content-length. */
const tooLarge = ({ maxBytes }: FileRoutesDeps, head: WebhookHead): WebhookResponse | undefined =>
  Number(head.headers["content-length"] ?? 0) > maxBytes
    ? refusal(head, 413, "too-large", `the file is larger than the limit of ${maxBytes} bytes`)
    : undefined;

const described = ({ id, name, mediaType, bytes, expiresAt }: StoredFile) => ({
  id,
  name,
  mediaType,
  bytes,
  expiresAt: isoTime(expiresAt),
});

/** The caller has checked the origin. */
const corsHeaders = ({ headers: { origin } }: WebhookHead): Record<string, string> => ({
  vary: "origin",
  ...(origin !== undefined && {
    "access-control-allow-origin": origin,
    "cross-origin-resource-policy": "cross-origin",
  }),
});

const refusal = (head: WebhookHead, status: number, code: string, message: string): WebhookResponse => ({
  status,
  headers: { ...corsHeaders(head), ...JSON_TYPE },
  body: JSON.stringify({ error: { code, message } }),
});

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
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
