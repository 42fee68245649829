export { TeamsAdapter } from "./adapter.ts";
export { TeamsConfig } from "./config.ts";
