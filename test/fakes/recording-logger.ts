import type { LogFields, Logger } from "../../core/contract/ports/logger.ts";
import { Recorder } from "./recorder.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

/** Records every line, and lets a test wait for one. */
export class RecordingLogger implements Logger {
  readonly lines: Recorder<LogLine>;
  readonly #fields: LogFields;

  constructor(lines = new Recorder<LogLine>(), fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug = (fields: LogFields, message: string) => this.#add("debug", fields, message);
  info = (fields: LogFields, message: string) => this.#add("info", fields, message);
  warn = (fields: LogFields, message: string) => this.#add("warn", fields, message);
  error = (fields: LogFields, message: string) => this.#add("error", fields, message);

  child(fields: LogFields): Logger {
    return new RecordingLogger(this.lines, { ...this.#fields, ...fields });
  }

  #add(level: LogLine["level"], fields: LogFields, message: string): void {
    this.lines.add({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
