import { agentCrashes } from "./agent-crashes.ts";

agentCrashes("nats");
