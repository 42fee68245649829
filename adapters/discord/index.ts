export { DiscordAdapter } from "./adapter.ts";
export { DiscordConfig } from "./config.ts";
