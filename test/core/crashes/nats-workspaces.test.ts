import { workspaceCrashes } from "./workspace-crashes.ts";

workspaceCrashes("nats");
