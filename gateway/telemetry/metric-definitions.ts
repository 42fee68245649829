export interface MetricDefinition {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Histograms only: upper bounds, in the unit of the name. */
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

/** All metrics by name, which Prometheus shows with the prefix "mooring_". Each label must have few values. */
export const metricDefinitions: Readonly<Record<string, MetricDefinition>> = {
  http_requests_total: counter("Requests by route and status.", "method", "route", "status"),
  http_request_seconds: seconds("Time to respond to a request.", "route"),
  sign_ins_failed_total: counter(
    "Wrong credentials, and attempts refused unchecked after too many of them.",
    "entrance",
    "outcome",
  ),

  messages_accepted_total: counter("Messages stored for the agent.", "channel"),
  messages_refused_total: counter("Messages that could not be stored.", "channel"),

  ready: gauge("1 while the process can accept and store messages, as /health/ready reports it, else 0."),
  channel_degraded: gauge("1 while the channel does not work on this gateway, else 0.", "channel"),

  disk_free_bytes: gauge("Free bytes on the disk of the data folder; embedded only."),
  disk_low: gauge("1 while uploads are refused because the disk is nearly full, else 0; embedded only."),

  deliveries_total: counter("Parts of replies by outcome.", "channel", "outcome"),
  delivery_retries_total: counter("Deliveries scheduled for a retry.", "channel", "reason"),
  deliveries_plain_total: counter(
    "Parts of replies that could not be rendered and were sent as plain text.",
    "channel",
  ),
  delivery_dead_letters_total: counter("Deliveries that became dead letters.", "channel", "reason"),
  delivery_latency_seconds: seconds("Time from the creation of a reply until the platform accepted it.", "channel"),

  turns_total: counter("Turns by outcome.", "agent", "outcome"),
  turn_seconds: seconds("Time from the intake of a message to its reply.", "agent"),
  commands_total: counter("Commands from people.", "agent"),
  moderation_total: counter("Moderated texts by kind (message, answer) and outcome.", "agent", "kind", "outcome"),
  reports_total: counter("Messages that people reported.", "agent"),
  feedback_total: counter("Ratings of answers by people.", "agent", "rating"),
  feedback_withdrawn_total: counter(
    "Ratings that people took back or changed, by the former rating.",
    "agent",
    "rating",
  ),
  model_steps_total: counter("Requests to a model by outcome.", "model", "outcome"),
  model_switches_total: counter("Requests that went to the next model of an agent after a failure.", "from", "to"),
  model_step_seconds: seconds("Duration of a request to a model.", "model"),
  model_tokens_total: counter("Tokens read and written.", "model", "direction"),
  rights_refused_total: counter("Tool calls that were refused because a right is missing.", "agent", "needs"),
  tool_runs_total: counter("Tool calls by outcome.", "tool", "outcome"),
  approvals_requested_total: counter("Calls of tools that asked people first.", "agent"),
  approvals_total: counter("Calls that needed an approval, by outcome.", "agent", "outcome"),
  tool_run_seconds: seconds("Duration of a tool call.", "tool"),
  mcp_server_starts_total: counter("Starts of MCP servers by outcome.", "agent", "server", "outcome"),
  mcp_server_running: gauge("1 while the MCP server runs or is connected, else 0.", "agent", "server"),

  budget_refusals_total: counter(
    "Work that a budget refused: by the limit, and whether it was soft, hard, for unattended work or at once.",
    "agent",
    "scope",
    "resource",
    "why",
  ),
  budget_warnings_total: counter(
    "Shares of daily limits that were reached for the first time that day.",
    "agent",
    "scope",
    "resource",
    "percent",
  ),
  budget_cost_total: counter("Cost of models that have a price, in the currency of the prices.", "agent", "model"),

  subtasks_total: counter("Subtasks by outcome.", "agent", "outcome"),
  subtasks_running: gauge("Subtasks in progress in this process.", "agent"),
  schedule_runs_total: counter("Due times of schedules by the state of their run.", "agent", "state"),
  batches_total: counter("Batches of subtasks by the trigger that fired them.", "agent", "fired"),
  continuations_total: counter(
    "Turns that continue after delegated work, by type and outcome.",
    "agent",
    "type",
    "outcome",
  ),

  peer_calls_total: counter("Messages to other agents by answer mode.", "agent", "mode"),
  peer_answers_total: counter("Messages to other agents that expect an answer, by outcome.", "agent", "outcome"),

  telemetry_spans_exported_total: counter("Spans exported to the collector."),
  telemetry_spans_dropped_total: counter("Spans dropped, by reason.", "reason"),

  queue_waiting: gauge("Messages waiting in this process.", "subject", "durable"),
  queue_running: gauge("Messages in progress in this process.", "subject", "durable"),

  web_connections: gauge("Open sockets.", "channel"),
  web_errors_total: counter("Error frames sent to clients.", "channel", "code"),
  web_tokens_refused_total: counter("Refused visitor tokens by reason.", "channel", "reason"),
};
