import { type DestinationStream, destination, pino } from "pino";
import type { LogLevel } from "../../config/index.ts";
import type { LogFields, Logger } from "../../core/contract/ports/logger.ts";
import { otelTraceId } from "../../core/lib/index.ts";
import { logStream } from "./pretty-log.ts";

/** Written before the call returns, so that the last line before a crash is there. */
export const standardError = (): DestinationStream => {
  const terminal = process.stderr;
  const hasColors = () => terminal.hasColors();
  return logStream(destination({ fd: 2, sync: true }), { isTTY: terminal.isTTY, hasColors });
};

/** A logger whose level can change while it is in use, also that of its children. */
export interface LevelledLogger extends Logger {
  setLevel(level: LogLevel): void;
}

/** JSON lines, or lines for a person if standard error is a terminal. */
export const createLogger = (level: LogLevel, stream: DestinationStream = standardError()): LevelledLogger => {
  let lowest = numberOf(level);
  const logger = pino(
    {
      level: "debug",
      // Children of pino copy the level when they are created, so the level is checked for each line instead.
      hooks: {
        logMethod(args, method, lineLevel) {
          if (lineLevel >= lowest) method.apply(this, args);
        },
      },
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: hideNested },
      serializers: { ...hidingSerializers, traceId: (traceId: unknown) => otelTraceId(String(traceId)) },
    },
    stream,
  );
  return Object.assign(logger, {
    setLevel: (next: LogLevel) => {
      lowest = numberOf(next);
    },
  });
};

const numberOf = (level: LogLevel): number =>
  level === "silent" ? Number.POSITIVE_INFINITY : (pino.levels.values[level] ?? 0);

/** Keys whose values never reach a log line, at the top and one level down. A Secret prints itself as "[secret]". */
const HIDDEN_KEYS: ReadonlySet<string> = new Set([
  "apiKey",
  "appPassword",
  "appToken",
  "authorization",
  "body",
  "botToken",
  "cookie",
  "credentials",
  "identityKey",
  "markdown",
  "password",
  "secret",
  "signingKey",
  "signingSecret",
  "text",
  "token",
]);
const HIDDEN = "[hidden]";

/** Mask top-level fields and fields of child loggers, which pino looks up by key. */
const hidingSerializers = Object.fromEntries([...HIDDEN_KEYS].map((key) => [key, () => HIDDEN]));

/** Masks one level down. pino's own redaction makes a line ten times slower, because it searches each value for each key. */
const hideNested = (fields: LogFields): Record<string, unknown> => {
  let hidden: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value !== "object" || value === null) continue;
    const shown = value instanceof Error ? shownError(value) : withoutHidden(value);
    if (shown === value) continue;
    hidden ??= { ...fields };
    hidden[key] = shown;
  }
  return hidden ?? fields;
};

/** Other fields of an error may contain request bodies. */
const shownError = ({ name, message, stack }: Error) => ({ name, message, stack });

const withoutHidden = (value: object): object => {
  if (!Object.keys(value).some((key) => HIDDEN_KEYS.has(key))) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, HIDDEN_KEYS.has(key) ? HIDDEN : inner]));
};
