import type { LogFields, Logger } from "../../core/contract/logger.ts";

export interface LogLine extends LogFields {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
}

/** Keeps every line, with the fields of the loggers above it. */
export class RecordingLogger implements Logger {
  readonly lines: LogLine[];
  readonly #fields: LogFields;

  constructor(fields: LogFields = {}, lines: LogLine[] = []) {
    this.#fields = fields;
    this.lines = lines;
  }

  debug = (fields: LogFields, message: string) => this.#add("debug", fields, message);
  info = (fields: LogFields, message: string) => this.#add("info", fields, message);
  warn = (fields: LogFields, message: string) => this.#add("warn", fields, message);
  error = (fields: LogFields, message: string) => this.#add("error", fields, message);

  child(fields: LogFields): Logger {
    return new RecordingLogger({ ...this.#fields, ...fields }, this.lines);
  }

  #add(level: LogLine["level"], fields: LogFields, message: string): void {
    this.lines.push({ ...this.#fields, ...fields, level, message });
  }
}
