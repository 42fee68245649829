export { AgentModels } from "./agent-models.ts";
export { derived, LiveConfig } from "./live-config.ts";
export { type Effect, planReload, usualEffect } from "./reload-plan.ts";
export { PartLost, type PreparedChannels, Reloader, type ReloadReport } from "./reloader.ts";
