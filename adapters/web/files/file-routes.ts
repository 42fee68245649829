import { Readable } from "node:stream";
import { AppError } from "../../../core/contract/app-error.ts";
import { safeFileName, safeMediaType } from "../../../core/contract/file-ref.ts";
import { refuseIfUnwritable, type WriteAvailability } from "../../../core/contract/ports/backbone.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import type { Webhook, WebhookHead, WebhookResponse } from "../../contract/abilities.ts";
import { downloadHeaders } from "../../contract/files/download-headers.ts";
import { JSON_TYPE, refusal, refusalFor, type VisitorRequests } from "../identity/visitor-request.ts";
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
  readonly requests: VisitorRequests;
}

const PATH = "files";

/** `POST` and `GET /channels/<channel>/files`, with the same tokens and origins as the socket. */
export const fileRoutes = (deps: FileRoutesDeps): readonly Webhook[] => {
  const refuse = async (head: WebhookHead) => {
    const caller = deps.requests.callerOf(head);
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
  return [
    {
      method: "POST",
      path: PATH,
      maxBodyBytes: deps.maxBytes,
      refuse,
      handle: (request) =>
        deps.requests.respond(request, async (caller) => {
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
        deps.requests.respond(request, async ({ visitor }) => {
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
    deps.requests.preflight(PATH),
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
