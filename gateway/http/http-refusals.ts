import type { IncomingMessage, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { httpError } from "./http-error.ts";
import type { Readiness } from "./readiness.ts";
import { healthAnswer } from "./routes/index.ts";
import { securityHeaders } from "./security-headers.ts";

/** How long a refused client may go on sending before its connection is cut. */
const LINGER_MS = 2_000;

/** Health as the listener itself answers it; false if the request asks for something else. */
export const answerHealth = (request: IncomingMessage, response: ServerResponse, readiness: Readiness): boolean => {
  const isRead = request.method === "GET" || request.method === "HEAD";
  const health = isRead ? healthAnswer(request.url?.split("?")[0], readiness) : undefined;
  if (health === undefined) return false;
  const text = JSON.stringify(health.body);
  response.writeHead(health.status, { ...jsonHeaders, "content-length": Buffer.byteLength(text) }).end(text);
  return true;
};

/** 503 with Retry-After. While stopping, the connection is closed as well, once the client has sent its body. */
export const refuseRequest = (request: IncomingMessage, response: ServerResponse, isStopping: boolean): void => {
  const text = JSON.stringify(refusal(503, isStopping ? STOPPING : STARTING));
  response.writeHead(503, {
    ...jsonHeaders,
    "retry-after": RETRY_AFTER,
    "content-length": Buffer.byteLength(text),
    ...(isStopping && { connection: "close" }),
  });
  response.write(text);
  // Closing with unread bytes resets the connection, and the client would lose the answer.
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.once("close", end).once("end", end).resume();
};

/** Answers on the raw socket of an upgrade or CONNECT request and closes it. */
export const refuseUpgrade = (socket: Duplex, status: 400 | 405 | 503): void =>
  endWith(socket, rawAnswer(status, { 400: NO_BODY, 405: NO_TUNNEL, 503: UNAVAILABLE }[status]));

/** A malformed, oversized or unfinished request. If its answer is on its way already, nothing is added to it. */
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
  // Unread bytes would turn the close into a reset, and the client would lose the answer.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
};

interface Reason {
  readonly code: string;
  readonly message: string;
}

const refusal = (status: number, { code, message }: Reason) => httpError(status, code, message).body;

const jsonHeaders = { ...securityHeaders, "content-type": "application/json; charset=utf-8" };
/** Seconds. */
export const RETRY_AFTER = "1";

const STARTING = { code: "unavailable", message: "Mooring is starting: try again in a moment." };
const STOPPING = { code: "unavailable", message: "Mooring is stopping: try again in a moment." };
const UNAVAILABLE = { code: "unavailable", message: "Mooring is starting or stopping: try again in a moment." };
const NO_BODY = { code: "bad-input", message: "A request with a body cannot ask for an upgrade: send it without." };
const NO_TUNNEL = { code: "method-not-allowed", message: "This server is no proxy." };
const MALFORMED = { code: "bad-input", message: "The request is malformed." };

const STATUS_OF: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
const CLIENT_ERRORS: Readonly<Record<number, Reason>> = {
  408: { code: "timeout", message: "The request took too long to arrive." },
  431: { code: "too-large", message: "The request's header is too large." },
};
