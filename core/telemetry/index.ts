export { isSampled } from "./is-sampled.ts";
export { acceptTrace, otelTraceId, rootSpanId, type TraceHeaders, traceHeaders } from "./trace-context.ts";
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
