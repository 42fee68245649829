export {
  peerCallSpanId,
  replySpanId,
  rootSpanId,
  runSpanId,
  subtaskSpanId,
  toolSpanId,
  turnSpanId,
  workSpanId,
} from "./message-spans.ts";
export { tracedBus } from "./traced-bus.ts";
