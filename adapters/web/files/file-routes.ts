import { AppError } from "../../../core/contract/app-error.ts";
import { isoTime } from "../../../core/contract/clock.ts";
import { refuseIfUnwritable, type WriteAvailability } from "../../../core/contract/write-availability.ts";
import type { Webhook, WebhookHead, WebhookResponse } from "../../contract/abilities.ts";
import type { VisitorTokens } from "../identity/visitor-auth.ts";
import type { StoredFile } from "./file-record.ts";
import type { UploadAdmission } from "./upload-admission.ts";
import type { VisitorFiles } from "./visitor-files.ts";

export interface FileRouteParts {
  readonly files: VisitorFiles;
  readonly writes: WriteAvailability;
  readonly admission: UploadAdmission;
  readonly maxBytes: number;
  mayOpen(origin: string): boolean;
  /** Undefined while the channel does not run. */
  tokens(): VisitorTokens | undefined;
}

const PATH = "files";

/** `POST` and `GET /channels/<channel>/files`: a visitor's files, by the same token and origins as the socket. */
export const fileRoutes = (parts: FileRouteParts): readonly Webhook[] => {
  const refuse = async (head: WebhookHead) => {
    const caller = callerOf(parts, head);
    if (!("visitor" in caller)) return caller;
    const bytes = Number(head.headers["content-length"] ?? 0);
    return (
      tooLarge(parts, head) ??
      (await refusedBy(head, async () => {
        refuseIfUnwritable(parts.writes);
        await parts.admission.check({ visitor: caller.visitor, address: head.remoteAddress, bytes });
      }))
    );
  };
  /** A refusal has the headers of an answer, or the page could not read it. */
  const answered = async (head: WebhookHead, work: (visitor: string) => Promise<WebhookResponse>) => {
    const caller = callerOf(parts, head);
    if (!("visitor" in caller)) return caller;
    try {
      const { status, headers, body } = await work(caller.visitor);
      return { status, headers: { ...shared(head), ...headers }, ...(body !== undefined && { body }) };
    } catch (error) {
      return refusalFor(head, error);
    }
  };
  return [
    {
      method: "POST",
      path: PATH,
      maxBodyBytes: parts.maxBytes,
      refuse,
      handle: (request) =>
        answered(request, async (visitor) => {
          const { body, query, headers } = request;
          if (body.length === 0) throw new AppError("bad-input", "the body is the file, and must not be empty");
          const about = { name: fileName(query.name), mediaType: mediaType(headers["content-type"]) };
          const upload = { visitor, address: request.remoteAddress, bytes: body.length };
          const giveBack = await parts.admission.take(upload);
          const file = await parts.files.save(visitor, { ...about, body }).catch((error: unknown) => {
            giveBack();
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
        answered(request, async (visitor) => {
          const [file] = await parts.files.find(visitor, [request.query.id ?? ""]);
          if (file === undefined) throw new AppError("not-found", "there is no such file of yours, or it has expired");
          return { status: 200, headers: downloadHeaders(file), body: await parts.files.open(visitor, file) };
        }),
    },
    {
      method: "OPTIONS",
      path: PATH,
      maxBodyBytes: 0,
      handle: async (request) => {
        const { origin } = request.headers;
        if (origin === undefined || !parts.mayOpen(origin)) return refusal(request, 403, "forbidden", FOREIGN_ORIGIN);
        return { status: 204, headers: { ...shared(request), ...PREFLIGHT } };
      },
    },
  ];
};

const refusedBy = async (head: WebhookHead, check: () => Promise<void>): Promise<WebhookResponse | undefined> => {
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

const callerOf = (parts: FileRouteParts, head: WebhookHead): { visitor: string } | WebhookResponse => {
  const { origin, authorization = "" } = head.headers;
  if (origin !== undefined && !parts.mayOpen(origin)) {
    return { ...refusal(head, 403, "forbidden", FOREIGN_ORIGIN), headers: JSON_TYPE };
  }
  const tokens = parts.tokens();
  if (tokens === undefined) return refusal(head, 503, "unavailable", "not ready; try again soon");
  const token = /^Bearer ([^\s]+)$/i.exec(authorization)?.[1];
  if (token === undefined) {
    return refusal(head, 401, "token-missing", "send the visitor's token: Authorization: Bearer <token>");
  }
  const who = tokens.identify(token);
  return "problem" in who ? refusal(head, 401, who.problem, tokens.explain(who.problem)) : who;
};

/** Told before the bytes are sent, if the client says how many they are. */
const tooLarge = ({ maxBytes }: FileRouteParts, head: WebhookHead): WebhookResponse | undefined =>
  Number(head.headers["content-length"] ?? 0) > maxBytes
    ? refusal(head, 413, "too-large", `a file may have ${maxBytes} bytes`)
    : undefined;

const described = ({ id, name, mediaType, bytes, expiresAt }: StoredFile) => ({
  id,
  name,
  mediaType,
  bytes,
  expiresAt: isoTime(expiresAt),
});

/** Types that a browser may take for what they say; everything else is bytes to be kept. */
const SHOWABLE: Readonly<Record<string, string>> = {
  "image/png": "image/png",
  "image/jpeg": "image/jpeg",
  "image/gif": "image/gif",
  "image/webp": "image/webp",
  "application/pdf": "application/pdf",
  "text/plain": "text/plain; charset=utf-8",
};

const downloadHeaders = ({ name, mediaType, bytes }: StoredFile): Record<string, string> => ({
  "content-length": String(bytes),
  "content-type": SHOWABLE[mediaType] ?? "application/octet-stream",
  // Never shown as a page of this site, whatever is in it.
  "content-disposition": `attachment; filename="${name.replace(/[^\x20-\x7e]|["\\%]/g, "_")}"; filename*=UTF-8''${encoded(name)}`,
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "cache-control": "private, no-store",
});

const encoded = (name: string): string =>
  encodeURIComponent(name.replace(/\p{Surrogate}/gu, "_")).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );

/** For the page that asked, which is an allowed one. */
const shared = ({ headers: { origin } }: WebhookHead): Record<string, string> => ({
  vary: "origin",
  ...(origin !== undefined && {
    "access-control-allow-origin": origin,
    "cross-origin-resource-policy": "cross-origin",
  }),
});

const refusal = (head: WebhookHead, status: number, code: string, message: string): WebhookResponse => ({
  status,
  headers: { ...shared(head), ...JSON_TYPE },
  body: JSON.stringify({ error: { code, message } }),
});

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const PREFLIGHT = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "authorization, content-type",
  "access-control-max-age": "600",
};
const FOREIGN_ORIGIN = "this origin may not connect: add it to the channel's allowedOrigins";
const statuses: Readonly<Record<string, number>> = {
  "bad-input": 400,
  forbidden: 403,
  "not-found": 404,
  "too-large": 413,
  "rate-limited": 429,
  unavailable: 503,
};

const MOST_CHARS = 100;

/** A name that people can read and nothing else: one line, no path, no controls, nothing that turns text around. */
const fileName = (given: string | undefined): string => {
  const base = (given ?? "").split(/[/\\]/).at(-1) ?? "";
  const clean = base
    .replace(/[\p{C}\p{Zl}\p{Zp}"<>|:*?]+/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/^[\s.]+|\s+$/g, "");
  return [...clean].slice(0, MOST_CHARS).join("") || "file";
};

/** "type/subtype", without parameters; what does not look like one is bytes. */
const mediaType = (given: string | undefined): string => {
  const type = (given ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/.test(type)
    ? type
    : "application/octet-stream";
};
