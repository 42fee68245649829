export interface MetricDefinition {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Of a histogram: upper bounds in the unit of its name. */
  readonly buckets?: readonly number[];
}

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];

const counter = (help: string, ...labels: string[]): MetricDefinition => ({ kind: "counter", help, labels });
const gauge = (help: string, ...labels: string[]): MetricDefinition => ({ kind: "gauge", help, labels });
const seconds = (help: string, ...labels: string[]): MetricDefinition => ({
  kind: "histogram",
  help,
  labels,
  buckets: SECONDS,
});

/** Every metric there is, by the name that code uses; Prometheus shows it with "mooring_" in front. Labels have few values. */
export const metricDefinitions: Readonly<Record<string, MetricDefinition>> = {
  http_requests_total: counter("Requests by route and status.", "method", "route", "status"),
  http_request_seconds: seconds("Time to answer a request.", "route"),
  sign_ins_failed_total: counter(
    "Wrong credentials, and those refused unchecked after too many.",
    "entrance",
    "outcome",
  ),

  messages_accepted_total: counter("Messages stored for the agent.", "channel"),
  messages_refused_total: counter("Messages that could not be stored.", "channel"),

  channel_degraded: gauge("1 while the channel does not work on this gateway, else 0.", "channel"),

  deliveries_total: counter("Parts of replies, by what became of them.", "channel", "outcome"),
  delivery_retries_total: counter("Deliveries put off for another attempt.", "channel", "reason"),
  deliveries_plain_total: counter("Parts of replies that could not be drawn and were sent as plain text.", "channel"),
  delivery_dead_letters_total: counter("Deliveries given up.", "channel", "reason"),
  delivery_latency_seconds: seconds("From a reply's making to its acceptance by the platform.", "channel"),

  turns_total: counter("Turns, by how they ended.", "agent", "outcome"),
  turn_seconds: seconds("From a message's intake to its reply.", "agent"),
  commands_total: counter("Commands that people gave.", "agent"),
  model_steps_total: counter("Requests to a model, by how they ended.", "model", "outcome"),
  model_step_seconds: seconds("Time of one request to a model.", "model"),
  model_tokens_total: counter("Tokens read and written.", "model", "direction"),
  tool_runs_total: counter("Tool calls, by how they ended.", "tool", "outcome"),
  tool_run_seconds: seconds("Time of one tool call.", "tool"),

  subtasks_total: counter("Subtasks, by how they ended.", "agent", "outcome"),
  subtasks_running: gauge("Subtasks that this process works on.", "agent"),
  schedule_runs_total: counter("Due times of schedules, by whether they had a run.", "agent", "state"),
  batches_total: counter("Batches of subtasks, by what made them fire.", "agent", "fired"),
  continuations_total: counter("Turns that delegated work led to, by how they ended.", "agent", "type", "outcome"),

  peer_calls_total: counter("Messages to other agents, by how their answer is wanted.", "agent", "mode"),
  peer_answers_total: counter("What became of those that want one.", "agent", "outcome"),

  telemetry_spans_exported_total: counter("Spans that the collector has taken."),
  telemetry_spans_dropped_total: counter("Spans that nobody will see, by why.", "reason"),

  queue_waiting: gauge("Messages that wait in this process.", "subject", "durable"),
  queue_running: gauge("Messages that are being handled in this process.", "subject", "durable"),

  web_connections: gauge("Open sockets.", "channel"),
  web_errors_total: counter("Error frames sent to clients.", "channel", "code"),
  web_tokens_refused_total: counter("Visitors' tokens that were refused.", "channel", "reason"),
};
