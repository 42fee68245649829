import { type DestinationStream, destination, pino } from "pino";
import type { LogLevel } from "../../config/index.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { otelTraceId } from "../../core/telemetry/index.ts";
import { hideNested, hidingSerializers } from "./hide-secrets.ts";

/** JSON lines on stderr, written before the call returns, so that the last line before a crash is there. */
export const createLogger = (level: LogLevel, stream: DestinationStream = destination({ fd: 2, sync: true })): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: hideNested },
      serializers: { ...hidingSerializers, traceId: (traceId: unknown) => otelTraceId(String(traceId)) },
    },
    stream,
  );
