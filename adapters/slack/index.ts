export { SlackAdapter } from "./adapter.ts";
export { SlackConfig } from "./config.ts";
