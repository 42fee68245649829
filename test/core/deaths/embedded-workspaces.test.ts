import { workspaceDeaths } from "./workspace-deaths.ts";

workspaceDeaths("embedded");
