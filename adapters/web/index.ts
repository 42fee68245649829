export { WebAdapter } from "./adapter.ts";
export { WebConfig } from "./config.ts";
