export { deliverySpan } from "./delivery-span.ts";
export { startTelemetry } from "./start-telemetry.ts";
