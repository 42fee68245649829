import type { LogEntry } from "../history/log-entry.ts";
import { ClientFrame, type ServerFrame } from "../protocol.ts";

/** Parses a client's frame; `problem` is the text for the client. */
export const parseFrame = (data: Buffer): { frame: ClientFrame } | { problem: string; id?: string } => {
  let value: unknown;
  try {
    value = JSON.parse(data.toString());
  } catch {
    return { problem: "a frame must be one JSON object as text" };
  }
  const parsed = ClientFrame.safeParse(value);
  if (parsed.success) return { frame: parsed.data };
  const problem = parsed.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join(".") || "frame"}: ${message}`)
    .join("; ");
  const id = idOf(value);
  return { problem: problem.slice(0, 300), ...(id !== undefined && { id }) };
};

/** Lets the client match the refusal to its message. */
const idOf = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null && "id" in value && typeof value.id === "string"
    ? value.id.slice(0, 100)
    : undefined;

/** Encodes once; all sockets share the Buffer. */
export const encodeFrame = (frame: ServerFrame): Buffer => Buffer.from(JSON.stringify(frame));

/** A log entry as clients receive it: the stored frame with its `seq`. */
export const encodeEntry = (seq: number, { frame }: LogEntry): Buffer =>
  Buffer.from(`${JSON.stringify(frame).slice(0, -1)},"seq":${seq}}`);
