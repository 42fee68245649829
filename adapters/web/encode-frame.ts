import type { LogEntry } from "./log-entry.ts";
import type { ServerFrame } from "./protocol.ts";

/** One Buffer, shared by all sockets that it is sent to. */
export const encodeFrame = (frame: ServerFrame): Buffer => Buffer.from(JSON.stringify(frame));

/** A log entry as clients get it: the stored frame with its place in the log. */
export const encodeEntry = (seq: number, { frame }: LogEntry): Buffer =>
  Buffer.from(`${JSON.stringify(frame).slice(0, -1)},"seq":${seq}}`);
