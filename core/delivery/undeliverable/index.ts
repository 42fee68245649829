export type { FallbackDeps } from "./fallback-conversation.ts";
export { reportUndeliverable } from "./undeliverable-report.ts";
export { UndeliverableResult, undeliverableResultOf } from "./undeliverable-result.ts";
