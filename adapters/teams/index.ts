import type { AdapterDefinition } from "../contract/adapter-definition.ts";
import { TeamsConfig } from "./config.ts";

export const teams: AdapterDefinition<typeof TeamsConfig> = {
  id: "teams",
  label: "Microsoft Teams",
  config: TeamsConfig,
  questions: [
    { flag: "teams-app-id", message: "Teams: the Application (client) ID", setting: ["appId"] },
    {
      flag: "teams-app-password",
      message: "Teams: the value of a client secret",
      setting: ["appPassword"],
      env: "TEAMS_APP_PASSWORD",
    },
    { flag: "teams-tenant-id", message: "Teams: the Directory (tenant) ID", setting: ["tenantId"] },
  ],
  guide: "docs/channels/teams.md",
  async create(config, context) {
    const { TeamsAdapter } = await import("./adapter.ts");
    return new TeamsAdapter(config, context);
  },
};
