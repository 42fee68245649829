import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { AppError, type ErrorCode } from "../../core/contract/app-error.ts";

/** Defaults of every response: no framing, sniffing, caching, scripts or cross-origin reads. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** The error that a client sees: never a stack, and no details of an unexpected error. */
interface HttpError {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string } };
}

export const httpError = (status: number, code: string, message: string): HttpError => ({
  status,
  body: { error: { code, message } },
});

export const toHttpError = (error: unknown): HttpError => {
  if (error instanceof AppError) {
    const status = httpStatus[error.code];
    return status === 500 ? UNEXPECTED : httpError(status, error.code, error.message);
  }
  const status = statusOf(error);
  if (status === undefined) return UNEXPECTED;
  return httpError(status, codeOfStatus[status] ?? "bad-input", messageOfStatus[status] ?? "The request is malformed.");
};

const UNEXPECTED = httpError(500, "internal", "Something went wrong here; the log has the details.");

/** Fastify's own errors have a status. Their text is replaced, because it may contain details. */
const statusOf = (error: unknown): number | undefined => {
  if (typeof error !== "object" || error === null || !("statusCode" in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
};

const codeOfStatus: Readonly<Record<number, string>> = {
  404: "not-found",
  408: "timeout",
  413: "too-large",
  415: "unsupported-media-type",
};

const messageOfStatus: Readonly<Record<number, string>> = {
  404: "This address does not exist.",
  408: "The request took too long to arrive.",
  413: "The body of the request is too large for this address.",
  415: "This address does not accept this content type.",
};

/** The HTTP status of each error code. A new code does not compile until it is mapped. */
const httpStatus: Readonly<Record<ErrorCode, number>> = {
  "bad-input": 400,
  unauthorised: 401,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "too-large": 413,
  "rate-limited": 429,
  "bad-configuration": 500,
  "data-unusable": 500,
  internal: 500,
  "data-in-use": 503,
  stopped: 503,
  unavailable: 503,
};

/** How long a refused client may continue to send before its connection is closed. */
const LINGER_MS = 2_000;

/** Sends 503 with Retry-After. While stopping, it also closes the connection once the client has sent its body. */
export const refuseRequest = (request: IncomingMessage, response: ServerResponse, isStopping: boolean): void => {
  const text = JSON.stringify(refusal(503, isStopping ? STOPPING : STARTING));
  response.writeHead(503, {
    ...jsonHeaders,
    "retry-after": RETRY_AFTER,
    "content-length": Buffer.byteLength(text),
    ...(isStopping && { connection: "close" }),
  });
  response.write(text);
  // Closing with unread bytes resets the connection, and the client would lose the response.
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.once("close", end).once("end", end).resume();
};

/** Responds on the raw socket of an upgrade or CONNECT request and closes it. */
export const refuseUpgrade = (socket: Duplex, status: 400 | 405 | 503): void =>
  endWith(socket, rawAnswer(status, { 400: NO_BODY, 405: NO_TUNNEL, 503: UNAVAILABLE }[status]));

/** Responds to a malformed, oversized or unfinished request, unless a response has already begun. */
export const answerClientError = (error: Error, socket: Duplex, response: ServerResponse | undefined): void => {
  const code = "code" in error ? String(error.code) : "";
  if (code === "ECONNRESET") return void socket.destroy();
  const status = STATUS_OF[code] ?? 400;
  const isAnswering = response?.headersSent && !response.writableFinished;
  endWith(socket, isAnswering ? "" : rawAnswer(status, CLIENT_ERRORS[status] ?? MALFORMED));
};

const rawAnswer = (status: number, reason: Reason): string => {
  const text = JSON.stringify(refusal(status, reason));
  const headers = {
    ...jsonHeaders,
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
    ...(status === 503 && { "retry-after": RETRY_AFTER }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
};

const endWith = (socket: Duplex, text: string): void => {
  if (socket.writableEnded || socket.destroyed) return;
  socket.on("error", () => socket.destroy());
  socket.end(text);
  // Unread bytes would turn the close into a reset, as above.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
};

interface Reason {
  readonly code: string;
  readonly message: string;
}

const refusal = (status: number, { code, message }: Reason) => httpError(status, code, message).body;

export const jsonHeaders = { ...securityHeaders, "content-type": "application/json; charset=utf-8" };
/** Seconds. */
export const RETRY_AFTER = "1";

const STARTING = { code: "unavailable", message: "Mooring is starting: try again in a moment." };
const STOPPING = { code: "unavailable", message: "Mooring is stopping: try again in a moment." };
const UNAVAILABLE = { code: "unavailable", message: "Mooring is starting or stopping: try again in a moment." };
const NO_BODY = { code: "bad-input", message: "A request for an upgrade cannot have a body: send it without one." };
const NO_TUNNEL = { code: "method-not-allowed", message: "This server is not a proxy." };
const MALFORMED = { code: "bad-input", message: "The request is malformed." };

const STATUS_OF: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
const CLIENT_ERRORS: Readonly<Record<number, Reason>> = {
  408: { code: "timeout", message: "The request took too long to arrive." },
  431: { code: "too-large", message: "The headers of the request are too large." },
};
