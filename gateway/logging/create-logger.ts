import { type DestinationStream, destination, pino } from "pino";
import type { LogLevel } from "../../config/log-level.ts";
import type { Logger } from "../../core/contract/logger.ts";

/** Keys whose values never reach a log line, at the top and one level down. A Secret prints itself as "[secret]". */
const HIDDEN_KEYS = [
  "apiKey",
  "appPassword",
  "authorization",
  "body",
  "botToken",
  "cookie",
  "markdown",
  "password",
  "secret",
  "signingKey",
  "signingSecret",
  "text",
  "token",
];

/** JSON lines on stderr, written before the call returns, so that the last line before a crash is there. */
export const createLogger = (level: LogLevel, stream: DestinationStream = destination({ fd: 2, sync: true })): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: HIDDEN_KEYS.flatMap((key) => [key, `*.${key}`]), censor: "[hidden]" },
      serializers: { error: errorOf, err: errorOf },
    },
    stream,
  );

/** An error's message and stack; its other fields may hold anything, request bodies too. */
const errorOf = (error: unknown): unknown =>
  error instanceof Error ? { name: error.name, message: error.message, stack: error.stack } : error;
