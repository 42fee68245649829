import { randomUUID } from "node:crypto";
import type { DestinationStream } from "pino";
import { z } from "zod";

/** A log line of a channel, with its masked fields. */
export interface TailLine {
  /** Increases within a process. */
  readonly seq: number;
  readonly at: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The fields that every line has; pino writes them. */
const WrittenLine = z.looseObject({
  level: z.enum(["debug", "info", "warn", "error"]),
  time: z.string(),
  msg: z.string(),
  channel: z.string(),
});

/** Lines that are kept of each channel, for a reader who comes later. */
const KEPT_LINES = 200;
/** Longer lines, such as those with a long stack, are cut for the reader, not in the log. */
const MAX_FIELD_CHARS = 2_000;

type Listener = (line: TailLine) => void;

/**
 * The last log lines of each channel of this process, as they were written: secrets are masked already, and logs have no
 * words of people.
 */
export class LogTail {
  /** Unique for each run of the process. */
  readonly run = randomUUID();
  readonly #kept = new Map<string, TailLine[]>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #seq = 0;

  /** A stream that writes to another one and keeps the lines of channels. */
  through(out: DestinationStream): DestinationStream {
    return {
      write: (line) => {
        out.write(line);
        // Most lines are not about a channel, so they are not parsed.
        if (line.includes('"channel":"')) this.#keep(line);
      },
    };
  }

  linesOf(channel: string): readonly TailLine[] {
    return this.#kept.get(channel) ?? [];
  }

  /** Calls back for each further line of the channel. Returns a function that stops it. */
  listen(channel: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(channel);
    };
  }

  #keep(written: string): void {
    const line = parsed(written);
    if (line === undefined) return;
    const { level, time, msg, channel, pid: _, ...fields } = line;
    const kept = this.#kept.get(channel) ?? [];
    const entry = { seq: ++this.#seq, at: time, level, message: msg, fields: shortened(fields) };
    kept.push(entry);
    if (kept.length > KEPT_LINES) kept.shift();
    this.#kept.set(channel, kept);
    for (const listener of this.#listeners.get(channel) ?? []) listener(entry);
  }
}

const parsed = (written: string): z.infer<typeof WrittenLine> | undefined => {
  try {
    return WrittenLine.safeParse(JSON.parse(written)).data;
  } catch {
    return undefined;
  }
};

const shortened = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return [key, text.length > MAX_FIELD_CHARS ? `${text.slice(0, MAX_FIELD_CHARS)}…` : value];
    }),
  );
