export type { TraceHeaders } from "./trace-context.ts";
export { acceptTrace, isSampled, otelTraceId, rootSpanId, traceHeaders } from "./trace-context.ts";
export { tracedBus } from "./traced-bus.ts";
export {
  peerCallSpanId,
  replySpanId,
  runSpanId,
  subtaskSpanId,
  toolSpanId,
  turnSpanId,
  workSpanId,
} from "./work-spans.ts";
