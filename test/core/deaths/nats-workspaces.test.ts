import { workspaceDeaths } from "./workspace-deaths.ts";

workspaceDeaths("nats");
