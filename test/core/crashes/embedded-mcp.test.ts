import { mcpCrashes } from "./mcp-crashes.ts";

mcpCrashes("embedded");
