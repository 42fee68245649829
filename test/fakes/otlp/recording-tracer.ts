import type { SpanRecord, Tracer } from "../../../core/contract/ports/telemetry.ts";
import { Recorder } from "../recorder.ts";

/** Records every span. */
export class RecordingTracer implements Tracer {
  readonly spans = new Recorder<SpanRecord>();

  record(span: SpanRecord): void {
    this.spans.add(span);
  }

  isSampled(): boolean {
    return true;
  }
}
